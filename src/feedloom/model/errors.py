"""The one tree of errors. Each has a stable key and a sentence for a person."""

from typing import ClassVar


class FeedloomError(Exception):
    """The root. ``str(error)`` is a sentence that may be shown to a person."""

    key: ClassVar[str] = "error"
    default: ClassVar[str] = "Something went wrong."

    def __init__(self, message: str = "", *, detail: str = "") -> None:
        super().__init__(message or self.default)
        self.detail = detail
        """What the log should know beyond the sentence."""


class InvalidInput(FeedloomError):
    key = "invalid_input"
    default = "That value is not valid."

    def __init__(self, message: str = "", *, field: str = "", detail: str = "") -> None:
        super().__init__(message, detail=detail)
        self.field = field


class BadAddress(InvalidInput):
    key = "bad_address"
    default = "Invalid URL format. Must start with http:// or https://"


class TooMuchSent(InvalidInput):
    key = "too_much_sent"
    default = "The request is too large."


class NotFound(FeedloomError):
    """No such thing, or another person's: the same answer."""

    key = "not_found"
    default = "Not found."


class NotAPicture(NotFound):
    key = "not_a_picture"
    default = "The picture could not be loaded."


class Conflict(FeedloomError):
    key = "conflict"
    default = "That already exists."


class NotAllowed(FeedloomError):
    key = "not_allowed"
    default = "You are not allowed to do that."


class StaleForm(NotAllowed):
    key = "stale_form"
    default = "This page is out of date. Please reload it and try again."


class NotSignedIn(FeedloomError):
    key = "not_signed_in"
    default = "Please sign in."


class Throttled(FeedloomError):
    key = "throttled"
    default = "Too many attempts. Try again in a moment."

    def __init__(self, message: str = "", *, retry_after_s: int = 60) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class FetchError(FeedloomError):
    key = "fetch_failed"
    default = "The address could not be fetched."


class BlockedAddress(FetchError):
    """The guard refused the address. Says no more, so that it tells nothing."""

    key = "blocked_address"
    default = "This address is not on the public internet, so we don't fetch it."


class Unreachable(FetchError):
    key = "unreachable"
    default = "The server could not be reached."


class NameNotFound(Unreachable):
    key = "name_not_found"
    default = "The host name does not exist."


class BadTLS(Unreachable):
    key = "bad_tls"
    default = "The server's certificate is not valid."


class TimedOut(FetchError):
    key = "timed_out"
    default = "The server took too long to answer."


class TooLarge(FetchError):
    key = "too_large"
    default = "The document is larger than 10 MB."


class RedirectError(FetchError):
    key = "redirect"
    default = "The address redirects too many times."


class ParseError(FeedloomError):
    key = "unparseable"
    default = "The document is damaged and could not be read as a feed."


class NotAFeed(ParseError):
    key = "not_a_feed"
    default = "This is not a feed."

    def __init__(self, message: str = "", *, kind: str = "unknown") -> None:
        super().__init__(message)
        self.kind = kind


class StoreError(FeedloomError):
    key = "store"
    default = "The database could not complete the operation."


class StoreUnavailable(StoreError):
    key = "store_unavailable"
    default = "The database is not available right now."
    event = "database_unavailable"
    """What the log calls it."""


class OutOfFiles(StoreUnavailable):
    """Our process cannot open more files or connections; no publisher is to blame."""

    key = "out_of_files"
    default = "The server has too many files and connections open. Try again in a moment."
    event = "out_of_files"


class SchemaTooNew(StoreError):
    key = "schema_too_new"
    default = "This database was created by a newer version of Feedloom. Upgrade to that version."


class LeaseLost(StoreError):
    key = "lease_lost"
    default = "Another worker has taken this job."


class MailError(FeedloomError):
    """A mail was not sent; it may be tried again."""

    key = "mail"
    default = "The mail could not be sent."


class MailRefused(MailError):
    """The mail server will never take it."""

    key = "mail_refused"


class MailUncertain(MailError):
    """The mail server may have accepted it, so it is never sent again."""

    key = "mail_uncertain"


class DistillError(FeedloomError):
    key = "distill"
    default = "The text could not be processed."


class ModelUnavailable(DistillError):
    key = "model_unavailable"
    default = "AI service is temporarily unavailable"


class ModelResting(ModelUnavailable):
    key = "model_unavailable"


class ModelAnswerInvalid(DistillError):
    key = "model_answer_invalid"
    default = "The AI service returned an unusable response."


class NoArticle(DistillError):
    key = "no_article"
    default = "No article was found on the page."

    def __init__(self, *, title: str = "", description: str = "") -> None:
        super().__init__()
        self.title = title
        self.description = description


class BudgetSpent(DistillError):
    key = "budget_spent"
    default = "Today's AI budget is used up."


class ConfigError(FeedloomError):
    key = "config"
    default = "A setting has an invalid value."
