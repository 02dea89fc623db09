"""What training shows while it runs: the data, what was chosen, and a progress bar."""

from __future__ import annotations

from innermost.cli.shared.progress import NotedBar
from innermost.plurals import count
from innermost.training.data.dataset import Coverage
from innermost.training.data.inputs import Data
from innermost.training.events import EpochScored, Event, Finished, Reading, Ready, TeacherRead
from innermost.training.loop import Progress
from innermost.training.plan import RunEvent
from innermost.training.settings.config import Config

PERCENT = 100
LISTED = 5
"""With more types that a file does not annotate, only their number is shown."""


class TrainingDisplay(NotedBar):
    """A progress bar with loss, F1, tokens/s and time left, on standard error.

    It appears with the first event: an error before that has the screen to itself.
    """

    def __init__(
        self, config: Config, data: Data, choice: str | None = None, advice: str | None = None
    ) -> None:
        super().__init__("", total=config.training.epochs)
        for name, split in (("train", data.train), ("dev", data.dev), ("test", data.test)):
            if split is not None:
                sentences = count(len(split.sentences), "sentence", width=8)
                tokens = count(split.tokens, "token", width=10)
                self._say(f"{name:<6}{sentences} {tokens}  {split.fingerprint}  {split.path}")
        for path, labels in annotated_types(data):
            self._say(f"{path} annotates {labels}")
        self._say(f"types: {', '.join(data.types)}")
        for source in data.sources.values():
            if source is not None and source.summary:
                self._say(source.summary)
        if choice is not None:
            self._say(f"auto: {choice}")
        if advice is not None:
            self._say(f"hint: {advice}")
        self.epochs = config.training.epochs
        self.running = ""
        self.f1 = ""
        self.tenth = 0
        self.has_note = False
        self.earlier: list[str] = []

    def __enter__(self) -> TrainingDisplay:
        return self

    def __exit__(self, *error: object) -> None:
        self._show_finished()
        if self.live.is_started:
            self.stop()

    def show(self, item: RunEvent) -> None:
        if item.name != self.running and isinstance(item.event, Finished):
            self.earlier.append(item.name)
            return
        self._show_finished()
        self.running = item.name
        self.start()
        which = f"[{item.number}/{item.total}] " if item.total > 1 else ""
        self.show_event(f"{which}{item.name}", item.event)

    def _show_finished(self) -> None:
        """Name the runs that were finished before."""
        if self.earlier:
            self._say(f"already finished: {'; '.join(self.earlier)}")
            self.earlier.clear()

    def show_event(self, name: str, event: Event) -> None:
        if isinstance(event, Reading):
            self._show_reading(event)
        elif isinstance(event, TeacherRead):
            f1 = f"{PERCENT * event.f1:.2f}"
            self._say(f"teacher {event.name}: F1 {f1} on the annotation of the training data")
            if event.doubt is not None:
                self._say(f"warning: {event.doubt}")
        elif isinstance(event, Ready):
            self._say(f"{name}: {_ready(event)}")
            before = event.finished_epochs
            if before:
                self._say(f"{name}: continuing after epoch {before}")
            if event.note is not None and not self.has_note:
                self._say(event.note)
                self.has_note = True
            self.f1 = ""
            self.reset(self.task, completed=before, total=self.epochs, description=name, note="")
        elif isinstance(event, Progress):
            done = event.epoch + event.done
            self._show_course(name, done, event.loss, event.tokens_per_second)
        elif isinstance(event, EpochScored):
            if event.dev_f1 is not None:
                best = f"best {PERCENT * event.best_f1:.2f}"
                self.f1 = f"dev F1 {PERCENT * event.dev_f1:.2f} ({best}) "
            note = self._show_course(name, event.epoch, event.loss, event.tokens_per_second)
            if not self.console.is_terminal:
                self._say(f"{name} epoch {event.epoch}/{event.epochs} {note}")
        else:
            # Ended early or not, it is done: show the time it took, not an estimate.
            self.update(self.task, completed=self.epochs)

    def _show_reading(self, event: Reading) -> None:
        note = f"{event.reader} has read {event.done:,} of {event.words:,} words"
        self.update(self.task, description=event.path, total=event.words, completed=event.done)
        self.update(self.task, note=note)
        tenth = 10 * event.done // event.words
        if not self.console.is_terminal and tenth != self.tenth:
            self._say(f"{event.path}: {note}")
        self.tenth = tenth

    def _show_course(self, name: str, done: float, loss: float, speed: float) -> str:
        note = f"loss {loss:.2f} {self.f1}{speed:,.0f} tokens/s"
        self.update(self.task, description=name, completed=done, note=note)
        return note

    def _say(self, text: str) -> None:
        self.console.print(text, markup=False, soft_wrap=True)


def annotated_types(data: Data) -> list[tuple[str, str]]:
    """What each file annotates, if any of them annotates only some of the types."""
    splits = (data.train, data.dev, data.test)
    files = [file for split in splits if split for file in split.coverage]
    if all(file.annotates is None and not file.predicted for file in files):
        return []
    return [(file.path, _annotated(file, data)) for file in files]


def _annotated(file: Coverage, data: Data) -> str:
    types = data.types if file.annotates is None else sorted(file.annotates)
    own = ", ".join(label for label in types if label not in file.predicted)
    if file.predicted and data.start is not None:
        own += f"; {data.start.name} annotates its other types in it"
    elif file.annotates is None:
        return "all types"
    unknown = [label for label in data.types if label not in types]
    listed = ", ".join(unknown) if len(unknown) <= LISTED else f"the {len(unknown)} others"
    return f"{own}; unknown in it: {listed}" if unknown else own


def _ready(event: Ready) -> str:
    memory = event.peak_memory
    needed = "" if memory is None else f", which take at most {memory / 2**30:.1f} GiB of the GPU"
    return f"{event.trained_weights:,} weights, batches of {event.batch_tokens:,} tokens{needed}"
