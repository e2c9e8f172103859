/** Devices behind two routers with NAT, and a real relay server outside; with a real Syncthing and without. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { missingProgram } from '../support/debian.ts'
import { Lan, missingLan, run, type Host } from '../support/lan.ts'
import { LanDevice, type ProgramKind } from '../support/lan-device.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { RelayServer } from '../support/strelaysrv.ts'
import { missingSyncthing, quietConfig } from '../support/syncthing.ts'

const missing = () => missingSyncthing() ?? missingLan() ?? missingProgram('nft', 'nftables')
const skip = missing() ?? missingProgram('sysctl', 'procps') ?? false
const RULES = `
table ip nat {
  chain forward {
    type filter hook forward priority 0; policy drop;
    ct state established,related accept
    iifname "lan0" accept
  }
  chain postrouting { type nat hook postrouting priority 100; oifname "wan0" masquerade; }
}
`

/** A host behind a router of its own, which lets nothing in. */
async function addHostBehindNat(lan: Lan, wan: Lan, directory: string): Promise<Host> {
  const { inside, address } = await lan.addForwarder(wan)
  const rules = join(directory, 'nat.nft')
  writeFileSync(rules, RULES)
  run(...inside, 'nft', '-f', rules)
  const host = await lan.addHost()
  run(...host.inside, 'ip', 'route', 'add', 'default', 'via', address)
  return host
}

interface ConnectionJson {
  readonly connected: boolean
  readonly type: string
  readonly isLocal: boolean
}

async function connectionTo(device: LanDevice, id: string): Promise<ConnectionJson | undefined> {
  const { connections } = (await device.get('/rest/system/connections')) as {
    connections: Readonly<Record<string, ConnectionJson>>
  }
  return connections[id]?.connected === true ? connections[id] : undefined
}

/** Milliseconds until both are connected. */
async function connectMs(a: LanDevice, b: LanDevice): Promise<number> {
  const startedMs = performance.now()
  const [idA, idB] = [a.id, b.id]
  await a.until('the connection', () => connectionTo(a, idB), 120_000)
  await b.until('the connection', () => connectionTo(b, idA), 120_000)
  return Math.round(performance.now() - startedMs)
}

async function untilJoined(device: LanDevice): Promise<string> {
  return await device.until('the relay', async () => {
    const { connectionServiceStatus } = (await device.get('/rest/system/status')) as {
      connectionServiceStatus: Readonly<Record<string, { error: string | null; wanAddresses: string[] | null }>>
    }
    const joined = Object.entries(connectionServiceStatus).find(([address]) => address.startsWith('relay:'))
    return joined?.[1].error === null ? joined[1].wanAddresses?.[0] : undefined
  })
}

for (const [dialling, listening] of [
  ['twinfold', 'twinfold'],
  ['twinfold', 'syncthing'],
  ['syncthing', 'twinfold'],
] as const satisfies readonly (readonly [ProgramKind, ProgramKind])[]) {
  test(`two LANs behind NAT: ${dialling} reaches ${listening} through a real relay`, { skip }, async () => {
    using scratch = scratchDirectory()
    await using wan = await Lan.make('10.78.9')
    await using lanA = await Lan.make('10.78.1')
    await using lanB = await Lan.make('10.78.2')
    const relayHost = await wan.addHost()
    await using relay = new RelayServer(relayHost, scratch.path, listening === 'twinfold' ? ['-token=s3cret'] : [])
    const address = await relay.start()
    const token = listening === 'twinfold' ? '&token=s3cret' : ''
    const hosts = [
      await addHostBehindNat(lanA, wan, scratch.path),
      await addHostBehindNat(lanB, wan, scratch.path),
    ] as const
    await using a = new LanDevice(dialling, hosts[0], join(scratch.path, 'a'))
    await using b = new LanDevice(listening, hosts[1], join(scratch.path, 'b'))
    const common = { relaysEnabled: 'true', reconnectionIntervalS: '5', relayReconnectIntervalM: '1' }
    quietConfig(a.home, { ...common, listenAddress: 'tcp://0.0.0.0:22000' })
    quietConfig(b.home, { ...common, listenAddress: `${address}${token}` })
    const isInvited = dialling === 'twinfold' && listening === 'twinfold'
    if (!isInvited) {
      a.addDevice(b.id, address)
      b.addDevice(a.id)
    }
    b.start()
    await b.ready()
    assert.ok((await untilJoined(b)).startsWith(`relay://${relayHost.address}:22067/?id=`))
    a.start()
    await a.ready()
    if (isInvited) {
      const { invitation } = (await b.post('/rest/twinfold/invitations', {})) as { invitation: string }
      await a.post('/rest/twinfold/join', { invitation })
    }
    console.log(JSON.stringify({ id: 'relay', dialling, listening, connectedAfterReadyMs: await connectMs(a, b) }))
    const [atA, atB] = [await connectionTo(a, b.id), await connectionTo(b, a.id)]
    assert.deepEqual([atA?.type, atA?.isLocal], ['relay-client', false])
    assert.deepEqual([atB?.type, atB?.isLocal], ['relay-server', false])
    if (listening === 'twinfold')
      assert.doesNotMatch(b.output + JSON.stringify(await b.get('/rest/system/status')), /s3cret/)
    if (!isInvited) return
    assert.deepEqual(await b.get('/rest/cluster/pending/devices'), {}, 'the invitation came through the relay')
    await relay.stop()
    await a.until('the loss', async () => (await connectionTo(a, b.id)) === undefined || undefined)
    assert.equal(await relay.start(), address)
    console.log(JSON.stringify({ id: 'relay-returns', connectedAfterMs: await connectMs(a, b) }))
  })
}
