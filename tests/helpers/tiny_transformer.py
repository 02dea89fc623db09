"""Transformers of a few thousand random weights, with tokenizers trained on a few sentences."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

TEXT = [
    "the rector of the University of Oslo spoke on Monday",
    "nobody in the old library of Lyon was in the news",
    "the sister of the mayor of Turin won a prize",
    "it rained in Ghent and the physics department slept",
]
PIECES = ["the", "of", "in", "re", "##ct", "##or", "un", "##ive", "os", "##lo", "nob", "##ody"]
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]


def write_tiny_bert(
    folder: Path,
    *,
    pieces: Iterable[str] = PIECES,
    seed: int = 0,
    width: int = 16,
    positions: int = 24,
    layers: int = 3,
    dropout: float = 0.1,
    spread: float = 0.3,
) -> Path:
    """A BERT that reads ``positions`` sub-words at once; ``spread`` is that of its weights."""
    import torch
    from transformers import BertConfig, BertModel

    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=write_word_pieces(folder, pieces),
        hidden_size=width,
        num_hidden_layers=layers,
        num_attention_heads=2,
        intermediate_size=2 * width,
        max_position_embeddings=positions,
        hidden_dropout_prob=dropout,
        attention_probs_dropout_prob=dropout,
        initializer_range=spread,
        pad_token_id=0,
    )
    BertModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder


def write_tiny_roberta(folder: Path, *, positions: int = 26) -> Path:
    """A RoBERTa, which counts positions from the padding token and has a byte-level tokenizer."""
    import torch
    from transformers import RobertaConfig, RobertaModel

    torch.manual_seed(0)
    config = RobertaConfig(
        vocab_size=write_byte_pieces(folder),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=positions,
        type_vocab_size=1,
        initializer_range=0.3,
        pad_token_id=1,
    )
    RobertaModel(config, add_pooling_layer=False).save_pretrained(folder)
    return folder


FAMILIES = [
    "Bert",
    "Roberta",
    "MPNet",
    "Electra",
    "DistilBert",
    "Albert",
    "DebertaV2",
    "ModernBert",
]
FAMILY_SIZES = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 48,
    "initializer_range": 0.3,
}
FAMILY_EXTRAS: dict[str, dict[str, object]] = {
    "Albert": {"embedding_size": 8},
    "DebertaV2": {
        "relative_attention": True,
        "position_buckets": 8,
        "pos_att_type": ["p2c", "c2p"],
        "share_att_key": True,
        "norm_rel_ebd": "layer_norm",
    },
    "ModernBert": {
        "bos_token_id": 0,
        "cls_token_id": 0,
        "eos_token_id": 2,
        "sep_token_id": 2,
        "global_attn_every_n_layers": 2,
        "local_attention": 8,
    },
}


def write_tiny_family(family: str, folder: Path) -> Path:
    """A transformer of a family, by the name of its class: ``Bert``, ``MPNet`` and so on."""
    import torch
    import transformers

    torch.manual_seed(0)
    bytewise = family in ("Roberta", "ModernBert")
    pieces, pad = (write_byte_pieces, 1) if bytewise else (write_word_pieces, 0)
    sizes = dict(FAMILY_SIZES, vocab_size=pieces(folder), pad_token_id=pad)
    if family == "DistilBert":
        names = {"hidden_size": "dim", "num_hidden_layers": "n_layers"}
        names |= {"num_attention_heads": "n_heads", "intermediate_size": "hidden_dim"}
        sizes = {names.get(name, name): value for name, value in sizes.items()}
    sizes |= FAMILY_EXTRAS.get(family, {})
    config = getattr(transformers, f"{family}Config")(**sizes)
    getattr(transformers, f"{family}Model")(config).save_pretrained(folder)
    return folder


def write_word_pieces(folder: Path, pieces: Iterable[str] = PIECES) -> int:
    """An uncased WordPiece tokenizer with letters and ``pieces``; returns the number of sub-words.

    Its pieces are listed because training is not deterministic.
    """
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    letters = "abcdefghijklmnopqrstuvwxyz."
    every = dict.fromkeys([*SPECIAL, *letters, *(f"##{letter}" for letter in letters), *pieces])
    tokenizer = Tokenizer(
        models.WordPiece(
            {piece: number for number, piece in enumerate(every)},
            unk_token="[UNK]",
            max_input_chars_per_word=10_000,
        )
    )
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    ends = [(token, tokenizer.token_to_id(token)) for token in ("[CLS]", "[SEP]")]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=ends
    )
    return _write(tokenizer, folder)


def write_byte_pieces(folder: Path) -> int:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer = trainers.BpeTrainer(
        vocab_size=320,
        special_tokens=special,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator(TEXT, trainer)
    tokenizer.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    return _write(tokenizer, folder)


def _write(tokenizer: object, folder: Path) -> int:
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    return tokenizer.get_vocab_size()
