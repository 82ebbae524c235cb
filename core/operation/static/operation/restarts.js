"use strict";
// While a restart is under way, the table of servers shows how far it is. Without this file the page is loaded again.
{
  const SECOND = 1000;
  const servers = document.getElementById("servers");

  async function show() {
    const { outcome, data } = await window.desk.request(servers.dataset.state, { isQuiet: true });
    if (outcome === "lost") {
      window.setTimeout(show, SECOND); // a proxy may say that the service is away
    } else if (outcome === "ok") {
      servers.innerHTML = data.table;
      if (data.isUnderWay) {
        window.setTimeout(show, SECOND);
      }
    } else {
      window.location.reload(); // without a session, this shows the sign-in page
    }
  }

  if (servers && "underWay" in servers.dataset) {
    window.setTimeout(show, SECOND);
  }
}
