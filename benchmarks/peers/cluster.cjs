// Runs a program of Node in processes that share its port, as PM2's cluster mode does: cluster.cjs PROGRAM [ARGUMENT …]
const cluster = require("node:cluster");

const [exec, ...args] = process.argv.slice(2);
cluster.setupPrimary({ exec, args });
for (let number = 0; number < Number(process.env.PROCESSES); number += 1) cluster.fork();
for (const signal of ["SIGINT", "SIGTERM"]) {
  process.on(signal, () => {
    for (const worker of Object.values(cluster.workers)) worker.kill(signal);
  });
}
cluster.on("exit", () => {
  if (Object.keys(cluster.workers).length === 0) process.exit();
});
