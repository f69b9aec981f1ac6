# A container with Tercet and without a compiler:
#   docker build -t tercet .
#   docker run --rm -v "$PWD:/data" tercet score ref.txt -i out.txt
# With optional packages: docker build --build-arg EXTRAS=[all] -t tercet .
ARG PYTHON=3.12
FROM python:${PYTHON}-bookworm AS build
ARG EXTRAS=""
WORKDIR /source
COPY . .
RUN python -m venv /opt/tercet \
    && /opt/tercet/bin/pip install --no-cache-dir ".${EXTRAS}" \
    && /opt/tercet/bin/python -c "from tercet.kernels import compiled; assert compiled()"

FROM python:${PYTHON}-slim-bookworm
COPY --from=build /opt/tercet /opt/tercet
USER 1000
WORKDIR /data
ENTRYPOINT ["/opt/tercet/bin/tercet"]
CMD ["--help"]
