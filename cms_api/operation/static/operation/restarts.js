"use strict";
// While a restart is under way, the table of servers shows how far it is. Without this file the page is loaded again.
{
  const SECOND = 1000;
  const servers = document.getElementById("servers");

  async function show() {
    let answer;
    try {
      answer = await fetch(servers.dataset.state, { headers: { Accept: "application/json" } });
    } catch {
      window.setTimeout(show, SECOND);
      return;
    }
    if (!(answer.headers.get("Content-Type") || "").startsWith("application/json")) {
      window.location.reload(); // whoever has signed out meanwhile is asked to sign in
      return;
    }
    const state = await answer.json();
    servers.innerHTML = state.table;
    if (state.isUnderWay) {
      window.setTimeout(show, SECOND);
    }
  }

  if (servers && "underWay" in servers.dataset) {
    window.setTimeout(show, SECOND);
  }
}
