# The workflow in a container:
#   docker build -t bakeoff .
#   docker run --rm --user "$(id -u):$(id -g)" -v "$PWD:/study" bakeoff --configfile /study/experiment.yaml
FROM python:3.12-slim-bookworm

# OpenMP for XGBoost and LightGBM
RUN apt-get update \
    && apt-get install -y --no-install-recommends libgomp1 \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /opt/bakeoff
COPY requirements/run.lock requirements/bootstrap.lock requirements/
RUN pip install --no-cache-dir --require-hashes -r requirements/run.lock -r requirements/bootstrap.lock
COPY . .
RUN pip install --no-cache-dir --no-deps --no-build-isolation .

# results, and Snakemake's own files, go to the mounted folder
WORKDIR /study
ENV HOME=/tmp XDG_CACHE_HOME=/tmp/.cache USER=bakeoff
RUN useradd --home-dir /tmp --no-create-home bakeoff && chown bakeoff /study
USER bakeoff
ENTRYPOINT ["snakemake", "--snakefile", "/opt/bakeoff/Snakefile", "--workflow-profile", "/opt/bakeoff/profiles/default"]
