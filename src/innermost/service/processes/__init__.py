"""The server, its workers, and batches across clients."""
