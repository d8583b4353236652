#!/usr/bin/env bash
# Writes logs with the real frameworks, in an environment of its own, and reads them with this checkout's Runglass.
set -euo pipefail
cd "$(dirname "$0")/.."
VENV=.venvs/interop
if [ ! -x "$VENV/bin/python" ]; then
  "${PYTHON:-python3}" -m venv "$VENV"
fi
# TensorFlow's CPU build has another name on machines that are not x86-64.
case "$(uname -m)" in
  x86_64 | amd64) tensorflow=tensorflow-cpu ;;
  *) tensorflow=tensorflow ;;
esac
# Runglass's own needs are there too, to write with it from inside the frameworks. What is never imported need not be compiled.
"$VENV/bin/python" -m pip install --quiet --no-compile "$tensorflow" torch==2.13.0 tensorboardX tensorboard jax pillow onnx \
  onnxscript lightning transformers accelerate optuna scikit-learn wandb mlflow-skinny msgspec watchfiles pyyaml pytest hypothesis
# W&B stays offline and silent.
export WANDB_MODE=offline WANDB_SILENT=true
mkdir -p build
rm -rf build/interop-logs
# Two at a time: most of a writer's time is the import of its framework, which uses one processor.
printf '%s\n' tensorflow_logs torch_logs tensorboardx_logs jax_logs tracker_logs | xargs -P 2 -I {} sh -c \
  'echo "writing build/interop-logs/{}"; exec "$0" tests/support/frameworks/{}.py build/interop-logs/{}' "$VENV/bin/python"
RUNGLASS_INTEROP_LOGS=build/interop-logs .venv/bin/python -m pytest -m interop tests/interop
PYTHONPATH=src "$VENV/bin/python" -m pytest -m interop \
  tests/interop/test_{graphs,graph_sources,summary_writer,watch,watch_distributed,tf_style,keras_callback,trainers,data_loader,hparams,profiles}.py
# tensorboardX's own tests of its writer, which its source distribution has, over ours.
THEIRS=$PWD/build/tensorboardx
if [ ! -d "$THEIRS" ]; then
  "$VENV/bin/python" -m pip download --quiet --no-deps --no-binary tensorboardX --dest build \
    "tensorboardX==$("$VENV/bin/python" -c 'import tensorboardX; print(tensorboardX.__version__)')"
  mkdir -p "$THEIRS"
  tar -xzf build/tensorboardx-*.tar.gz --strip-components 1 -C "$THEIRS"
fi
PYTHON_HERE=$PWD/$VENV/bin/python
(cd "$THEIRS" && PYTHONPATH="$OLDPWD/src:$OLDPWD/tools" "$PYTHON_HERE" -m pytest -q -p over_ours -p no:cacheprovider -W ignore \
  tests/test_{summary_writer,writer,hparams,pr_curve,numpy,pytorch_np,pytorch_graph,onnx_graph,multiprocess_write}.py)
