FROM python:3.12-slim AS build
WORKDIR /src
RUN python -m venv /venv
COPY requirements.txt ./
RUN /venv/bin/pip install --no-cache-dir --require-hashes -r requirements.txt
COPY pyproject.toml hatch_build.py ./
COPY app app
COPY scenarios scenarios
RUN /venv/bin/pip install --no-cache-dir --no-deps . \
 && rm -r /venv/lib/python3.12/site-packages/pip*

FROM python:3.12-slim
RUN useradd --system --uid 10001 lab
COPY --from=build /venv /venv
USER lab
EXPOSE 8000
HEALTHCHECK --interval=30s --timeout=5s --start-period=10s \
  CMD ["/venv/bin/python", "-c", "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/healthz')"]
ENTRYPOINT ["/venv/bin/pretraining-lab"]
CMD ["serve", "--host", "0.0.0.0"]
