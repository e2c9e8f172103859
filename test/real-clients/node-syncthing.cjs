/** Calls what node-syncthing offers; prints what each call returns, as one JSON object. */
'use strict'
const { PACKAGES, URL: url, KEY: apiKey, FOLDER: folder, DEVICE: device } = process.env
const syncthing = require(`${PACKAGES}/node-syncthing`)

const { hostname: host, port } = new URL(url)
const client = syncthing({ host, port, apiKey, https: false })

const CALLS = {
  'system.ping': () => client.system.ping(),
  'system.version': () => client.system.version(),
  'system.status': () => client.system.status(),
  'system.connections': () => client.system.connections(),
  'system.getConfig': () => client.system.getConfig(),
  'system.configInSync': () => client.system.configInSync(),
  'system.debug': () => client.system.debug(),
  'system.getDiscovery': () => client.system.getDiscovery(),
  'system.errors': () => client.system.errors(),
  'system.logs': () => client.system.logs(),
  'db.status': () => client.db.status(folder),
  'db.browse': () => client.db.browse(folder, 1),
  'db.completion': () => client.db.completion(device, folder),
  'db.file': () => client.db.file(folder, 'a.txt'),
  'db.getIgnores': () => client.db.getIgnores(folder),
  'db.need': () => client.db.need(folder),
  'stats.devices': () => client.stats.devices(),
  'stats.folders': () => client.stats.folders(),
  'misc.deviceId': () => client.misc.deviceId(device),
  'misc.lang': () => client.misc.lang(),
  'misc.report': () => client.misc.report(),
  'misc.randomString': () => client.misc.randomString(10),
  // The library leaves out what its first poll returns, so something has to happen after it.
  events: () =>
    new Promise((resolve, reject) => {
      const listener = syncthing({ host, port, apiKey, https: false, eventListener: true })
      listener.on('error', reject)
      listener.on('stateChanged', resolve)
    }),
  'system.clearErrors': () => client.system.clearErrors(),
  'system.pause': () => client.system.pause(device),
  'system.resume': () => client.system.resume(device),
  'db.scan': () => client.db.scan(folder, 'a.txt'),
  'db.setIgnores': () => client.db.setIgnores(folder, { ignore: ['*.tmp'] }),
  'db.prio': () => client.db.prio(folder, 'a.txt'),
  'db.override': () => client.db.override(folder),
  'db.revert': () => client.db.revert(folder),
}

function shape(value) {
  if (Array.isArray(value)) return { kind: 'list' }
  if (typeof value !== 'object' || value === null) return { kind: value === null ? 'null' : typeof value }
  return { kind: 'object', keys: Object.keys(value).sort() }
}

async function main() {
  const found = {}
  for (const [name, call] of Object.entries(CALLS)) {
    const late = new Promise((_resolve, reject) => setTimeout(reject, 30_000))
    found[name] = await Promise.race([call(), late]).then(shape, () => ({ kind: 'error', text: 'rejected' }))
  }
  process.stdout.write(`${JSON.stringify(found)}\n`, () => process.exit(0)) // the listener polls on
}

main()
