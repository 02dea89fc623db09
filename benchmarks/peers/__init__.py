"""Speed, accuracy and size beside other tools for nested entities, measured in one run."""
