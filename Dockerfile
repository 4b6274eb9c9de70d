# The workflow in a container:
#   docker build -t bakeoff .
#   docker run --rm -v "$PWD:/study" bakeoff --configfile /study/experiment.yaml
FROM python:3.12-slim-bookworm

# OpenMP for XGBoost and LightGBM
RUN apt-get update \
    && apt-get install -y --no-install-recommends libgomp1 \
    && rm -rf /var/lib/apt/lists/*

WORKDIR /opt/bakeoff
COPY requirements/run.lock requirements/
RUN pip install --no-cache-dir --require-hashes -r requirements/run.lock
COPY . .
RUN pip install --no-cache-dir --no-deps .

# results, and Snakemake's own files, go to the mounted folder
WORKDIR /study
ENV HOME=/tmp XDG_CACHE_HOME=/tmp/.cache
ENTRYPOINT ["snakemake", "--snakefile", "/opt/bakeoff/Snakefile", "--workflow-profile", "/opt/bakeoff/profiles/default"]
