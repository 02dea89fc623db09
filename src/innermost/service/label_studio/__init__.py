"""The protocol of Label Studio's ML backends."""
