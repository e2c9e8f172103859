/** Who may import whom. A folder may import those in its row and itself, nothing else. */
export const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  world: ['core'],
  rest: ['core'],
  sync: ['core', 'world'],
  events: ['core', 'world', 'sync'],
  config: ['core', 'world', 'sync', 'events'],
  db: ['core', 'world', 'sync', 'events'],
  versioner: ['core', 'world', 'sync', 'events'],
  protocol: ['core', 'world', 'sync', 'events'],
  dialer: ['core', 'world', 'sync', 'events'],
  beacon: ['core', 'world', 'sync', 'events'],
  scanner: ['core', 'world', 'sync', 'events'],
  stats: ['core', 'world', 'sync', 'events', 'db'],
  upnp: ['core', 'world', 'sync', 'events', 'dialer'],
  relay: ['core', 'world', 'sync', 'events', 'dialer'],
  upgrade: ['core', 'world', 'sync', 'events', 'dialer'],
  discover: ['core', 'world', 'sync', 'events', 'beacon', 'dialer'],
  connections: ['core', 'world', 'sync', 'events', 'protocol', 'dialer', 'discover', 'relay', 'upnp'],
  model: ['core', 'world', 'sync', 'events', 'protocol', 'db', 'scanner', 'versioner', 'stats'],
  http: ['core', 'world', 'rest', 'sync', 'events'],
  client: ['core', 'rest'],
  cli: ['core', 'rest', 'client'],
  main: ['*'],
}

/** Folders of which another may import types, and types only. */
export const MAY_IMPORT_TYPES: Readonly<Record<string, readonly string[]>> = {
  events: ['rest'],
  http: ['config', 'model', 'connections', 'discover', 'stats', 'upgrade'],
}
