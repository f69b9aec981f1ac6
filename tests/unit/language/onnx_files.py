"""Tiny ONNX models and tokenizers, written without the package onnx (an ONNX file is a protocol buffer)."""

import json
from pathlib import Path

import numpy as np

WORDS = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "the", "cat", "sat", "on", "a", "mat", "dog", "ran", ".")
FLOAT, INT, BOOL = 1, 7, 9


def varint(number: int) -> bytes:
    digits = bytearray()
    while True:
        number, low = number >> 7, number & 0x7F
        digits.append(low | (0x80 if number else 0))
        if not number:
            return bytes(digits)


def number(field: int, value: int) -> bytes:
    return varint(field << 3) + varint(value)


def message(field: int, *parts: bytes) -> bytes:
    inside = b"".join(parts)
    return varint(field << 3 | 2) + varint(len(inside)) + inside


def text(field: int, value: str) -> bytes:
    return message(field, value.encode())


def node(kind: str, inputs: list[str], outputs: list[str], **integers: int) -> bytes:
    attributes = [message(5, text(1, name), number(3, value), number(20, 2)) for name, value in integers.items()]
    return message(
        1, *(text(1, each) for each in inputs), *(text(2, each) for each in outputs), text(4, kind), *attributes
    )


def constant(name: str, values: np.ndarray) -> bytes:
    kind = INT if values.dtype == np.int64 else FLOAT
    dims = b"".join(number(1, size) for size in values.shape)
    return message(5, dims, number(2, kind), text(8, name), message(9, values.tobytes()))


def value(field: int, name: str, kind: int, axes: tuple[str, ...]) -> bytes:
    shape = message(2, *(message(1, text(2, axis)) for axis in axes))
    return message(field, text(1, name), message(2, message(1, number(1, kind), shape)))


def model(nodes: list[bytes], constants: list[bytes], outputs: dict[str, int], inputs: tuple[str, ...]) -> bytes:
    given = [value(11, name, INT, ("batch", "tokens")) for name in inputs]
    made = [value(12, name, FLOAT, ("batch", "tokens", "size")[:rank]) for name, rank in outputs.items()]
    graph = message(7, *nodes, text(2, "tiny"), *constants, *given, *made)
    return number(1, 8) + graph + message(8, text(1, ""), number(2, 17))


def table(dimensions: int = 8, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=(len(WORDS), dimensions)).astype(np.float32)


def encoder_file(inputs: tuple[str, ...] = ("input_ids", "attention_mask")) -> bytes:
    """A model that looks each token up; its second layer is the negative of the first."""
    nodes = [node("Gather", ["table", "input_ids"], ["hidden_states.0"], axis=0),
             node("Neg", ["hidden_states.0"], ["hidden_states.1"])]  # fmt: skip
    return model(nodes, [constant("table", table())], {"hidden_states.0": 3, "hidden_states.1": 3}, inputs)


def endless_file() -> bytes:
    """An encoder with a loop that adds to a number for ever."""
    body = message(
        6,  # the graph of an attribute
        node("Identity", ["go"], ["still"]), node("Add", ["sum", "sum"], ["more"]), text(2, "body"),
        *(message(11, text(1, name), message(2, message(1, number(1, kind), message(2))))
          for name, kind in (("turn", INT), ("go", BOOL), ("sum", FLOAT))),
        *(message(12, text(1, name), message(2, message(1, number(1, kind), message(2))))
          for name, kind in (("still", BOOL), ("more", FLOAT))),
    )  # fmt: skip
    loop = message(
        1, text(1, ""), text(1, "always"), text(1, "zero"), text(2, "end"), text(4, "Loop"),
        message(5, text(1, "body"), body, number(20, 5)),
    )  # fmt: skip
    nodes = [loop, node("Gather", ["table", "input_ids"], ["found"], axis=0),
             node("Add", ["found", "end"], ["last_hidden_state"])]  # fmt: skip
    always = message(5, number(2, BOOL), text(8, "always"), message(9, b"\1"))
    zero = message(5, number(2, FLOAT), text(8, "zero"), message(9, bytes(4)))
    return model(nodes, [constant("table", table()), always, zero], {"last_hidden_state": 3}, ("input_ids",))


def quantising_file() -> bytes:
    """A model with activations in eight bits, whose scale is that of the whole batch."""
    nodes = [node("Gather", ["table", "input_ids"], ["found"], axis=0),
             node("DynamicQuantizeLinear", ["found"], ["rounded", "scale", "zero"]),
             node("DequantizeLinear", ["rounded", "scale", "zero"], ["last_hidden_state"])]  # fmt: skip
    return model(nodes, [constant("table", table())], {"last_hidden_state": 3}, ("input_ids",))


def pair_file(numbers: int = 1) -> bytes:
    """A model that sums a number for each token, times 2 in the second text."""
    rows = table(numbers)
    rows[0] = 0  # padding
    nodes = [node("Gather", ["table", "input_ids"], ["found"], axis=0),
             node("Cast", ["token_type_ids"], ["second"], to=FLOAT),
             node("Unsqueeze", ["second", "last"], ["factor"]),
             node("Add", ["factor", "one"], ["weight"]),
             node("Mul", ["found", "weight"], ["weighted"]),
             node("ReduceSum", ["weighted", "middle"], ["logits"], keepdims=0)]  # fmt: skip
    constants = [constant("table", rows), constant("last", np.array([2])), constant("middle", np.array([1])),
                 constant("one", np.ones(1, dtype=np.float32))]  # fmt: skip
    return model(nodes, constants, {"logits": 2}, ("input_ids", "token_type_ids"))


def tokenizer_file(words: tuple[str, ...] = WORDS, longest: int = 16) -> str:
    """A tokenizer that splits at spaces and punctuation marks and puts [CLS] and [SEP] around texts."""
    mark = {"[CLS]": 2, "[SEP]": 3}
    special = {name: {"id": name, "ids": [number], "tokens": [name]} for name, number in mark.items()}

    def piece(kind: str, name: str, types: int) -> dict[str, object]:
        return {kind: {"id": name, "type_id": types}}

    single = [piece("SpecialToken", "[CLS]", 0), piece("Sequence", "A", 0), piece("SpecialToken", "[SEP]", 0)]
    second = [piece("Sequence", "B", 1), piece("SpecialToken", "[SEP]", 1)]
    added = [
        {"id": number, "content": word, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False,
         "special": True}
        for number, word in enumerate(words[:4])
    ]  # fmt: skip
    truncation = {"max_length": longest, "strategy": "LongestFirst", "stride": 0, "direction": "Right"}
    pair = single + second
    template = {"type": "TemplateProcessing", "single": single, "pair": pair, "special_tokens": special}
    return json.dumps({
        "version": "1.0", "truncation": truncation, "padding": None, "added_tokens": added,
        "normalizer": {"type": "Lowercase"}, "pre_tokenizer": {"type": "Whitespace"}, "decoder": None,
        "post_processor": template,
        "model": {"type": "WordLevel", "vocab": {word: i for i, word in enumerate(words)}, "unk_token": "[UNK]"},
    })  # fmt: skip


def write_model(folder: Path, data: bytes, tokenizer: str | None = None) -> str:
    """Write a model and its tokenizer; returns the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(data)
    (folder / "tokenizer.json").write_text(tokenizer or tokenizer_file())
    return str(folder)
