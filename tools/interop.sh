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
"$VENV/bin/python" -m pip install --quiet "$tensorflow" torch==2.13.0 tensorboardX tensorboard jax pillow onnx onnxscript \
  lightning transformers accelerate optuna scikit-learn
# What Runglass itself needs there, to write with it from inside the frameworks.
"$VENV/bin/python" -m pip install --quiet msgspec watchfiles pyyaml pytest hypothesis
mkdir -p build
rm -rf build/interop-logs
for writer in tensorflow_logs torch_logs tensorboardx_logs jax_logs; do
  echo "writing build/interop-logs/$writer"
  "$VENV/bin/python" "tests/support/frameworks/$writer.py" "build/interop-logs/$writer"
done
RUNGLASS_INTEROP_LOGS=build/interop-logs .venv/bin/python -m pytest -m interop tests/interop
PYTHONPATH=src "$VENV/bin/python" -m pytest -m interop \
  tests/interop/test_{graphs,graph_sources,summary_writer,watch,tf_style,keras_callback,trainers,data_loader,hparams,profiles}.py
