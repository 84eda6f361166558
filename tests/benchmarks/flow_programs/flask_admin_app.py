"""Flask-Admin on a database of members: `python flask_admin_app.py PORT`."""

import sys
from pathlib import Path

from flask import Flask
from flask_admin import Admin
from flask_admin.contrib.sqla import ModelView
from flask_sqlalchemy import SQLAlchemy

app = Flask(__name__)
app.config.update(SECRET_KEY="of a test", SQLALCHEMY_DATABASE_URI=f"sqlite:///{Path.cwd()}/club.db")
db = SQLAlchemy(app)


class Member(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    name = db.Column(db.String(50))
    city = db.Column(db.String(50))

    def __str__(self) -> str:
        return self.name


class MemberView(ModelView):
    column_searchable_list = ("name", "city")
    column_editable_list = ("city",)
    create_modal = True


Admin(app, name="Club").add_view(MemberView(Member, db))

if __name__ == "__main__":
    with app.app_context():
        db.create_all()
        db.session.add_all([Member(name="Ann", city="Oslo"), Member(name="Bob", city="Bergen")])
        db.session.commit()
    app.run(port=int(sys.argv[1]))
