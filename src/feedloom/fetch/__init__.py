"""All outbound network access: requests in, complete and bounded responses out.

Every address is judged when it is dialled, whatever name, redirect or spelling led
there. See ``HTTPFetcher`` for what it promises, ``AllowList`` for what operators open.
"""

from feedloom.fetch.client import HTTPFetcher as HTTPFetcher
from feedloom.fetch.connections import Limits as Limits
from feedloom.fetch.connections import Proxy as Proxy
from feedloom.fetch.connections import Wire as Wire
from feedloom.fetch.guard import AllowList as AllowList
from feedloom.fetch.mail import SMTPMailer as SMTPMailer
