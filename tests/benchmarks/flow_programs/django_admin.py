"""Django's admin on a database of books: `python django_admin.py PORT PASSWORD`."""

import sys
from pathlib import Path

import django
from django.conf import settings
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import connection, models
from django.urls import path

home = Path.cwd()
settings.configure(
    DEBUG=True,
    SECRET_KEY="of a test",
    ALLOWED_HOSTS=["*"],
    ROOT_URLCONF=__name__,
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": str(home / "books.db")}},
    INSTALLED_APPS=[
        "django.contrib.admin", "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions",
        "django.contrib.messages", "django.contrib.staticfiles",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.common.CommonMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware",
        "django.contrib.messages.middleware.MessageMiddleware",
    ],
    TEMPLATES=[{
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {"context_processors": [
            "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
            "django.contrib.messages.context_processors.messages",
        ]},
    }],
    STATIC_URL="/static/",
)  # fmt: skip
django.setup()


class Book(models.Model):
    title = models.CharField(max_length=100)
    shelf = models.CharField(max_length=10, choices=[("n", "Novels"), ("p", "Poems")], default="n")
    lent = models.BooleanField(default=False)

    class Meta:
        app_label = "auth"

    def __str__(self) -> str:
        return self.title


@admin.register(Book)
class BookAdmin(admin.ModelAdmin):
    list_display = ("title", "shelf", "lent")
    list_filter = ("shelf",)
    search_fields = ("title",)


urlpatterns = [path("admin/", admin.site.urls)]

if __name__ == "__main__":
    call_command("migrate", verbosity=0)
    with connection.schema_editor() as editor:
        editor.create_model(Book)
    get_user_model().objects.create_superuser("ann", "", sys.argv[2])
    for title in ("Hunger", "Peer Gynt", "Victoria"):
        Book.objects.create(title=title)
    call_command("runserver", f"127.0.0.1:{sys.argv[1]}", "--noreload", "--insecure")
