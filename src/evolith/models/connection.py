"""How a server is reached: by connections that stay open, through a proxy or not, over TLS."""

import ipaddress
import os
import ssl
import sys
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import truststore
from aiohttp import ClientSession, ClientTimeout, DummyCookieJar, TCPConnector

from evolith.errors import ProviderError

TO_CONNECT = 10.0
"""Seconds for a connection to be made, which is within the time of one try."""
IDLE = 4.0
"""Seconds that an unused connection is kept. Many servers close theirs after 5, and a call that is
on its way then may be billed without an answer."""
OWN_CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR")
"""Variables that name certificates to trust in place of the system's."""


def open_session(url: str) -> ClientSession:
    """Return a session for one server. Nothing is reached yet; whoever opens it closes it.

    It has no headers of its own, since aiohttp would tell those to a proxy as well.

    Args:
        url: The server's address.

    Raises:
        ProviderError: the environment names a proxy that cannot be used.
    """
    secure = urlsplit(url).scheme == "https"
    return ClientSession(
        # How many calls are made at once is the gate's affair: each has a connection of its own.
        connector=TCPConnector(limit=0, keepalive_timeout=IDLE, ssl=_trust() if secure else True),
        proxy=proxy_for(url),  # found once: aiohttp would look it up for each call, in a thread
        timeout=ClientTimeout(total=None, connect=TO_CONNECT),
        cookie_jar=DummyCookieJar(),  # no call depends on an earlier one
    )


def proxy_for(url: str) -> str | None:
    """Return the proxy that the environment names for an address, or None.

    Raises:
        ProviderError: it is of a kind that cannot be used.
    """
    parts = urlsplit(url)
    # A proxy for the outside world does not know the servers on this machine.
    if is_loopback(url) or proxy_bypass(parts.netloc):
        return None
    named = getproxies()
    proxy = named.get(parts.scheme) or named.get("all")
    if not proxy:
        return None
    kind, mark, _ = proxy.partition("://")
    if not mark:
        return f"http://{proxy}"
    if kind.lower() not in ("http", "https"):
        raise ProviderError(
            f"{parts.hostname} would be reached through a proxy of the kind {kind}, which cannot "
            "be used",
            where="models",
            fix="name a proxy that begins with http:// in HTTPS_PROXY, or the host in NO_PROXY",
        )
    return proxy


def is_loopback(url: str) -> bool:
    """Say whether an address is on this machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _trust() -> ssl.SSLContext:
    """Return what is trusted: the system's certificates, or those that the environment names."""
    if sys.platform == "darwin" and not any(map(os.environ.get, OWN_CERTIFICATES)):
        return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)  # OpenSSL does not see the keychain
    return ssl.create_default_context()
