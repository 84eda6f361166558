"""Quasar's widgets over NiceGUI's socket: `python nicegui_app.py PORT`."""

import sys

from nicegui import ui


@ui.page("/")
def page() -> None:
    ui.label("Workshop").classes("text-h4")
    tasks = ui.column()
    box = ui.input("New task")
    kind = ui.select({1: "Paint", 2: "Repair"}, label="Kind", value=1)
    urgent = ui.switch("Urgent")

    def add() -> None:
        with tasks, ui.row():
            ui.checkbox(box.value)
            if urgent.value:
                ui.badge("urgent")
        ui.notify(f"Added {box.value} as {kind.options[kind.value]}")
        box.value = ""

    ui.button("Add task", on_click=add)
    with ui.dialog() as dialog, ui.card():
        ui.label("Really close the workshop?")
        ui.button("Keep open", on_click=dialog.close)
    ui.button("Close", on_click=dialog.open)


ui.run(host="127.0.0.1", port=int(sys.argv[1]), reload=False, show=False, title="Workshop")
