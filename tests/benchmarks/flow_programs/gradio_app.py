"""A form of Gradio: `python gradio_app.py PORT`."""

import sys

import gradio as gr


def greet(name, mood, loud):
    said = f"{mood}, {name}"
    return said.upper() if loud else said


with gr.Blocks() as demo:
    gr.Markdown("# Greetings")
    with gr.Tab("One"):
        name = gr.Textbox(label="Name")
        mood = gr.Radio(["Good morning", "Good night"], label="Mood", value="Good morning")
        loud = gr.Checkbox(label="Loud")
        out = gr.Textbox(label="Greeting")
        gr.Button("Greet").click(greet, [name, mood, loud], out)
    with gr.Tab("About"):
        gr.Markdown("Written for a test")

demo.launch(server_name="127.0.0.1", server_port=int(sys.argv[1]), quiet=True)
