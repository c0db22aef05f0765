'use strict';
// What the programs for Node have in common: the arguments, the tasks and the
// lines that package compat describes. Each library, or family of libraries
// with one interface, has a driver:
//
//   connect(library, {addr, host, port, resp, kind, mode})  a client that is ready
//   subscribe(client, names, patterns, {message, pmessage})  resolves when confirmed
//   set(client, key, value), get(client, key)
//   follow(client, {host, port})           the recipe, if there is one

const load = require('./load');

async function main(driver, library) {
  const [task, addr, resp, kind, ...rest] = process.argv.slice(2);
  const [host, port] = addr.split(':');
  const place = { addr, host, port: Number(port), resp: Number(resp), kind };
  switch (task) {
    case 'subscribe':
      return subscribe(driver, await driver.connect(library, place), rest);
    case 'keys':
      return keys(driver, await driver.connect(library, place));
    case 'load': {
      const mode = rest[0];
      const client = await driver.connect(library, { ...place, mode });
      if (mode === 'on') await driver.follow(client, place);
      return load(driver, client);
    }
    default:
      throw new Error(`no such task: ${task}`);
  }
}

async function subscribe(driver, client, names) {
  process.stdin.on('end', () => process.exit(0)).resume();
  // What arrives before the library's call has returned is printed after it.
  let early = [];
  const print = (line) => { if (early) early.push(line); else console.log(line); };
  await driver.subscribe(client, names, names[0].includes('*'), {
    message: (channel, payload) => print(`message ${channel} ${JSON.stringify(payload)}`),
    pmessage: (pattern, channel, payload) => print(`pmessage ${pattern} ${channel} ${JSON.stringify(payload)}`),
  });
  for (const name of names) console.log('subscribed', name);
  for (const line of early) console.log(line);
  early = null;
}

async function keys(driver, client) {
  const numbers = Array.from({ length: 50 }, (_, n) => n);
  await Promise.all(numbers.map((n) => driver.set(client, `key:${n}`, String(n))));
  const values = await Promise.all(numbers.map((n) => driver.get(client, `key:${n}`)));
  console.log('keys', values.filter((value, n) => value === String(n)).length);
  process.exit(0);
}

// report prints an error that the library's user is told of.
function report(error) {
  console.log('error', String(error?.message ?? error).replace(/\s+/g, ' '));
}

module.exports = { main, report };
