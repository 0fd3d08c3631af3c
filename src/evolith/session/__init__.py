"""Working on a run: start it, resume it, replay it."""

from evolith.archive.archive import Watch
from evolith.session.open import resume, start
from evolith.session.outcome import Outcome
from evolith.session.replay import Replayed, replay
from evolith.session.setup import load_settings
from evolith.session.terms import Terms

__all__ = ["Outcome", "Replayed", "Terms", "Watch", "load_settings", "replay", "resume", "start"]
