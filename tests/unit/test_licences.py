"""Every data file of the package has its licence in docs/licences.md."""

from fnmatch import fnmatch

from scripts import check_dist


def test_every_data_file_is_listed_with_its_licence() -> None:
    assert check_dist.without_licence(check_dist.package_files()) == []


def test_every_row_names_a_file() -> None:
    names = [name.removeprefix("tercet/") for name in check_dist.package_files()]
    assert [row for row in check_dist.licensed() if not any(fnmatch(name, row) for name in names)] == []
