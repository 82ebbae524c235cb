"""Jobs: long work that somebody asks for in the back end, done by a process of its own (docs/operations.md, "Jobs").

An app declares what can be done (`kinds.register`) and asks for it (`asking.ask`). A process of `manage.py run_job`
does it (`running`), started by the node that was asked (`starting`). How far it is stands where everybody can read it
while one long transaction is open, and so does the wish to stop it (`boards`). `pages` shows jobs to those who asked.
"""
