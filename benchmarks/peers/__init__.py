"""Speed, accuracy and size compared with other tools for nested entities, in one run."""
