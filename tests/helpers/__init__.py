"""What several tests share: toy corpora, tiny models, folders with random weights."""
