"""What several formats share: character spans, tag schemes, XML and JSON events."""
