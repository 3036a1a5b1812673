"""The body of a decoder-only transformer: RMSNorm, rotary positions, SwiGLU, no biases (paper section 6.1).

Mathematics and names of parameters are those of transformers' Llama, so a body's state is a part of a
LlamaForCausalLM's state: `model.` stands before each name. Embedding and output matrix are not in it: they
belong to the vocabulary, of which a step sees only rows (rows.py).

# Shape suffixes: B batch, L sequence, M what was read before and now, D model width, H heads,
# K key-value heads, E head width.
"""

import math
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from torch.nn import functional

from modtok.modelling.architecture import Architecture

STANDARD_DEVIATION = 0.02
"of initial weights, as in GPT-2 and Llama; matrices that write to the residual stream get less"


class Transformer(nn.Module):
    """The blocks and the last norm: Transformer(architecture)(embedded_BLD) are hidden states (B, L, D)."""

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        self.architecture = architecture
        shape = architecture.shape
        self.layers = nn.ModuleList(Block(architecture) for _ in range(shape.layers))
        self.norm = nn.RMSNorm(shape.width, eps=architecture.norm_eps)
        cos_LE, sin_LE = rotary_angles(shape.context, shape.head_width, architecture.rope_theta)
        self.register_buffer("cos_LE", cos_LE, persistent=False)
        self.register_buffer("sin_LE", sin_LE, persistent=False)

    def forward(self, x_BLD: Tensor) -> Tensor:
        """Hidden states (B, L, D) of embedded tokens (B, L, D); none sees a later one."""
        length = x_BLD.shape[1]
        assert length <= self.architecture.shape.context, "a sequence is at most as long as the context"
        cos_LE, sin_LE = self.cos_LE[:length], self.sin_LE[:length]  # type: ignore[index]
        for block in self.layers:
            x_BLD = block(x_BLD, cos_LE, sin_LE)
        return self.norm(x_BLD)

    def read(self, x_BLD: Tensor, cache: "Cache", present_BL: Tensor) -> Tensor:
        """Hidden states (B, L, D) of embedded tokens that follow those of the cache, which takes them in.

        `present_BL` is False where padding stands, on either side: it is seen by no token and takes no
        position. A row's tokens are at most as many as the context.
        """
        places_BL, mask_B1LM = cache.append(present_BL)
        context = self.architecture.shape.context
        assert int(places_BL.max()) < context, "a sequence is at most as long as the context"
        cos_B1LE, sin_B1LE = (angles[places_BL][:, None] for angles in (self.cos_LE, self.sin_LE))  # type: ignore[index]
        for number, block in enumerate(self.layers):
            x_BLD = block(x_BLD, cos_B1LE, sin_B1LE, _Layer(cache, number, mask_B1LM))
        return self.norm(x_BLD)

    @torch.no_grad()
    def initialise(self, generator: torch.Generator) -> None:
        """Draw all weights from a generator on the CPU, so that a seed means the same everywhere."""
        deeper = STANDARD_DEVIATION / math.sqrt(2 * len(self.layers))
        for name, weight in self.named_parameters():
            if weight.dim() == 1:
                weight.fill_(1.0)
            else:
                writes = name.endswith(("o_proj.weight", "down_proj.weight"))
                deviation = deeper if writes else STANDARD_DEVIATION
                weight.copy_(torch.empty(weight.shape).normal_(0.0, deviation, generator=generator))


class Block(nn.Module):
    """Attention and SwiGLU, each behind a norm and added to the residual stream."""

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        shape = architecture.shape
        self.input_layernorm = nn.RMSNorm(shape.width, eps=architecture.norm_eps)
        self.self_attn = Attention(architecture)
        self.post_attention_layernorm = nn.RMSNorm(shape.width, eps=architecture.norm_eps)
        self.mlp = SwiGLU(architecture)

    def forward(
        self, x_BLD: Tensor, cos_LE: Tensor, sin_LE: Tensor, cached: "_Layer | None" = None
    ) -> Tensor:
        x_BLD = x_BLD + self.self_attn(self.input_layernorm(x_BLD), cos_LE, sin_LE, cached)
        return x_BLD + self.mlp(self.post_attention_layernorm(x_BLD))


class Attention(nn.Module):
    """Causal attention over heads; fewer key-value heads than heads are shared by groups of heads."""

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        shape = architecture.shape
        self.head_width = shape.head_width
        self.grouped = shape.kv_heads != shape.heads
        self.q_proj = nn.Linear(shape.width, shape.heads * shape.head_width, bias=False)
        self.k_proj = nn.Linear(shape.width, shape.kv_heads * shape.head_width, bias=False)
        self.v_proj = nn.Linear(shape.width, shape.kv_heads * shape.head_width, bias=False)
        self.o_proj = nn.Linear(shape.heads * shape.head_width, shape.width, bias=False)

    def forward(
        self, x_BLD: Tensor, cos_LE: Tensor, sin_LE: Tensor, cached: "_Layer | None" = None
    ) -> Tensor:
        q_BHLE = rotate(self._heads(self.q_proj(x_BLD)), cos_LE, sin_LE)
        k_BKLE = rotate(self._heads(self.k_proj(x_BLD)), cos_LE, sin_LE)
        v_BKLE = self._heads(self.v_proj(x_BLD))
        mask = None
        if cached is not None:
            k_BKLE, v_BKLE = cached.joined(k_BKLE, v_BKLE)
            mask = cached.mask_B1LM
        mixed_BHLE = functional.scaled_dot_product_attention(
            q_BHLE, k_BKLE, v_BKLE, attn_mask=mask, is_causal=mask is None, enable_gqa=self.grouped
        )
        return self.o_proj(mixed_BHLE.transpose(1, 2).flatten(2))

    def _heads(self, x_BLD: Tensor) -> Tensor:
        return x_BLD.unflatten(-1, (-1, self.head_width)).transpose(1, 2)


class SwiGLU(nn.Module):
    """down(silu(gate x) * up x)."""

    def __init__(self, architecture: Architecture) -> None:
        super().__init__()
        shape = architecture.shape
        self.gate_proj = nn.Linear(shape.width, shape.hidden, bias=False)
        self.up_proj = nn.Linear(shape.width, shape.hidden, bias=False)
        self.down_proj = nn.Linear(shape.hidden, shape.width, bias=False)

    def forward(self, x_BLD: Tensor) -> Tensor:
        return self.down_proj(functional.silu(self.gate_proj(x_BLD)) * self.up_proj(x_BLD))


@dataclass
class Cache:
    """Keys and values of all that a body has read, for `Transformer.read`: Cache.empty(rows, device)."""

    present_BM: Tensor
    "bool: False where padding stands"
    layers: list[tuple[Tensor, Tensor]] = field(default_factory=list)
    "keys and values (B, K, M, E) of each layer"

    @classmethod
    def empty(cls, rows: int, device: torch.device) -> "Cache":
        return cls(torch.ones((rows, 0), dtype=torch.bool, device=device))

    def rows(self, of_B: Tensor) -> "Cache":
        """A cache of these rows, which may be fewer, or one row many times."""
        layers = [(k.index_select(0, of_B), v.index_select(0, of_B)) for k, v in self.layers]
        return Cache(self.present_BM.index_select(0, of_B), layers)

    def append(self, present_BL: Tensor) -> tuple[Tensor, Tensor]:
        """Add columns: the position of each in its row (B, L), and which columns it sees (B, 1, L, M)."""
        before = self.present_BM.shape[1]
        self.present_BM = torch.cat((self.present_BM, present_BL), dim=1)
        places_BL = (self.present_BM.cumsum(1)[:, before:] - 1).clamp(min=0)
        length, columns = present_BL.shape[1], self.present_BM.shape[1]
        causal_LM = torch.ones(length, columns, dtype=torch.bool, device=present_BL.device).tril(before)
        # What padding reads is of no use, but a row of a softmax over nothing would be no number.
        own_LM = causal_LM.triu(before)
        mask_B1LM = causal_LM & self.present_BM[:, None, None] | own_LM
        return places_BL, mask_B1LM


@dataclass
class _Layer:
    """A layer's part of a cache in one call."""

    cache: Cache
    number: int
    mask_B1LM: Tensor

    def joined(self, k_BKLE: Tensor, v_BKLE: Tensor) -> tuple[Tensor, Tensor]:
        """Keys and values of all that was read, which the cache keeps."""
        layers = self.cache.layers
        if self.number == len(layers):
            layers.append((k_BKLE, v_BKLE))
        else:
            pairs = zip(layers[self.number], (k_BKLE, v_BKLE), strict=True)
            k_BKME, v_BKME = (torch.cat(pair, dim=2) for pair in pairs)
            layers[self.number] = k_BKME, v_BKME
        return layers[self.number]


def rotary_angles(length: int, head_width: int, theta: float) -> tuple[Tensor, Tensor]:
    """Cosines and sines (length, head width) of position times frequency, the same in both halves."""
    frequencies = 1.0 / theta ** (torch.arange(0, head_width, 2, dtype=torch.float32) / head_width)
    angles = torch.outer(torch.arange(length, dtype=torch.float32), frequencies).repeat(1, 2)
    return angles.cos(), angles.sin()


def rotate(x_BHLE: Tensor, cos_LE: Tensor, sin_LE: Tensor) -> Tensor:
    """Turn pairs by their angles; places e of the first and the second half are one, as in Llama."""
    first, second = x_BHLE.chunk(2, dim=-1)
    turned = torch.cat((-second, first), dim=-1)
    return x_BHLE * cos_LE.to(x_BHLE.dtype) + turned * sin_LE.to(x_BHLE.dtype)
