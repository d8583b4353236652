// Opens runs.ipynb in VS Code and runs its cells with the IPython kernel that kernel.py starts: what its Jupyter extension does,
// which no package registry has.

const { spawn } = require("node:child_process");
const path = require("node:path");
const readline = require("node:readline");
const vscode = require("vscode");

exports.activate = async (context) => {
  const controller = vscode.notebooks.createNotebookController("kernel", "jupyter-notebook", "IPython");
  let kernel;
  let answers;
  let count = 0;

  function start(folder) {
    kernel = spawn(process.env.RUNGLASS_NOTEBOOK_PYTHON, [path.join(__dirname, "kernel.py")], {
      cwd: folder,
      stdio: ["pipe", "pipe", "inherit"],
    });
    answers = readline.createInterface({ input: kernel.stdout })[Symbol.asyncIterator]();
  }

  async function run(cell) {
    const execution = controller.createNotebookCellExecution(cell);
    execution.executionOrder = ++count;
    execution.start(Date.now());
    await execution.clearOutput();
    kernel.stdin.write(`${JSON.stringify(cell.document.getText())}\n`);
    for (;;) {
      const output = JSON.parse((await answers.next()).value);
      if (output === null) break;
      const items = Object.entries(output).map(([type, text]) => vscode.NotebookCellOutputItem.text(text, type));
      await execution.appendOutput(new vscode.NotebookCellOutput(items));
    }
    execution.end(true, Date.now());
  }

  controller.supportedLanguages = ["python"];
  controller.executeHandler = async (cells, notebook) => {
    if (!kernel) start(path.dirname(notebook.uri.fsPath));
    for (const cell of cells) await run(cell);
  };
  context.subscriptions.push(controller, { dispose: () => kernel?.kill() });

  const file = vscode.Uri.joinPath(vscode.workspace.workspaceFolders[0].uri, "runs.ipynb");
  await vscode.window.showNotebookDocument(await vscode.workspace.openNotebookDocument(file));
};
