"""Turns stored addresses into addresses that a browser can follow (original-behaviour §6)."""


def resolve(address: str, web_url: str) -> str:
    """`@/x` → the site's web address + `/x`; `~/x` → `/x`; anything else unchanged."""
    if address.startswith("@/"):
        return web_url + address[1:]
    if address.startswith("~/"):
        return address[1:]
    return address
