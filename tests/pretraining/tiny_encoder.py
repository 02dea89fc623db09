"""A BERT of a few thousand weights, with a word-piece tokenizer, as Hugging Face would write it."""

from __future__ import annotations

from pathlib import Path

from pretraining.pretraining_text import two_worlds


def write_tiny_encoder(folder: Path, *, dropout: float = 0.1) -> Path:
    import torch
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from tokenizers.processors import BertProcessing
    from transformers import BertConfig, BertModel

    letters = [chr(c) for c in range(ord("a"), ord("z") + 1)]
    words = sorted({word for line in two_worlds(300) for word in line.split()})
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    names = dict.fromkeys([*specials, *words, *letters, *(f"##{c}" for c in letters)])
    vocabulary = {name: number for number, name in enumerate(names)}
    tokenizer = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    folder.mkdir(parents=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=48,
        max_position_embeddings=64,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
    )
    BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder
