import torch
from torch import nn

from innermost.network.lstm import VariationalBiLSTM


def test_the_bilstm_equals_torch_on_packed_sequences():
    torch.manual_seed(1)
    ours = VariationalBiLSTM(4, 3, 2, dropout=0.5, recurrent_dropout=0.5).eval()
    theirs = nn.LSTM(4, 3, num_layers=2, bidirectional=True, batch_first=True)
    for layer, module in enumerate(ours.layers):
        for name, value in module.named_parameters():
            getattr(theirs, name.replace("_l0", f"_l{layer}")).data.copy_(value)
    x, lengths = torch.randn(3, 5, 4), torch.tensor([5, 3, 1])
    packed = nn.utils.rnn.pack_padded_sequence(x, lengths, batch_first=True)
    sentence = torch.tensor([0, 1, 2, 0, 1, 0, 1, 0, 0])
    got = ours(packed.data, packed.batch_sizes, sentence)
    torch.testing.assert_close(got, theirs(packed)[0].data)


def test_one_dropout_mask_for_all_tokens_of_a_sentence():
    lstm = VariationalBiLSTM(4, 3, 1, dropout=0.5, recurrent_dropout=0.0).train()
    sentence = torch.tensor([0, 1, 0, 1, 0])
    x = torch.ones(5, 6)
    masked = lstm._lock(x, torch.tensor([2, 2, 1]), sentence)
    assert set(masked.unique().tolist()) <= {0.0, 2.0}
    for number in (0, 1):
        rows = masked[sentence == number]
        assert (rows == rows[0]).all()


def test_recurrent_dropout_masks_the_state_and_only_in_training():
    torch.manual_seed(0)
    lstm = VariationalBiLSTM(4, 16, 1, dropout=0.0, recurrent_dropout=0.5)
    x, sizes, sentence = (
        torch.randn(3, 4),
        torch.tensor([1, 1, 1]),
        torch.zeros(3, dtype=torch.long),
    )
    assert not torch.equal(lstm.train()(x, sizes, sentence), lstm(x, sizes, sentence))
    assert torch.equal(lstm.eval()(x, sizes, sentence), lstm(x, sizes, sentence))
    dropped = lstm.train()._drop_columns(torch.ones(8, 16))
    assert set(dropped.unique().tolist()) == {0.0, 2.0}
    assert (dropped == dropped[0]).all()


def test_padded_and_packed_batches_have_the_same_states_and_gradients():
    torch.manual_seed(2)
    lstm = VariationalBiLSTM(4, 3, 1, dropout=0.0, recurrent_dropout=0.0)
    sizes, sentence = torch.tensor([3, 2, 2, 1, 1]), torch.tensor([0, 1, 2, 0, 1, 0, 1, 0, 0])
    (layer,) = lstm.layers
    results = []
    for run in (
        lambda x: lstm(x, sizes, sentence),
        lambda x: lstm._packed(x, lstm._weights(layer), sizes),
    ):
        x = torch.randn(9, 4, generator=torch.manual_seed(3)).requires_grad_()
        lstm.zero_grad()
        states = run(x)
        (states * torch.arange(6)).sum().backward()
        results.append([states, x.grad, *(p.grad.clone() for p in lstm.parameters())])
    for padded, packed in zip(*results, strict=True):
        torch.testing.assert_close(padded, packed)
