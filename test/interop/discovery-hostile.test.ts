/** Another host of the LAN floods a device with packets of local discovery, some of them in the name of its friend. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { reportRow } from '../support/effort.ts'
import { killOnExit } from '../support/kill-on-exit.ts'
import { Lan, missingLan, type Host } from '../support/lan.ts'
import { LanDevice } from '../support/lan-device.ts'
import { scratchDirectory } from '../support/scratch.ts'
import { missingSyncthing, quietConfig } from '../support/syncthing.ts'

const skip = missingSyncthing() ?? missingLan() ?? false
const PACKETS = 30_000
const FLOOD = join(import.meta.dirname, '..', 'support', 'udp-flood.ts')
/** Entries of unknown devices are bounded to 256 for IPv4 and IPv6 each; the friend is one more. */
const ENTRIES_MAX = 2 * 256 + 1

async function flood(host: Host, target: string, victim: string, friend: string): Promise<number> {
  const [program, ...args] = [...host.inside, process.execPath, FLOOD, target, String(PACKETS), victim, friend]
  const child = spawn(program!, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  killOnExit(child)
  let output = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  await once(child, 'close')
  return (JSON.parse(output) as { sent: number }).sent
}

/** Response times in ms, until the work has ended; at least twenty. */
async function pings(device: LanDevice, work: Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = []
  const over = new AbortController()
  void work.finally(() => over.abort())
  while (!over.signal.aborted || times.length < 20) {
    const startedMs = performance.now()
    await device.get('/rest/system/ping')
    times.push(performance.now() - startedMs)
  }
  return times
}

interface Status {
  readonly lastDialStatus: Readonly<Record<string, { readonly reason?: string }>>
}

test(
  'R-06 a flood of forged announcements: bounded entries, requests are served, and no wrong device',
  { skip },
  async () => {
    using scratch = scratchDirectory()
    await using lan = await Lan.make('10.77.8')
    const hosts = [await lan.addHost(), await lan.addHost(), await lan.addHost()] as const
    const [a, friend, decoy] = hosts.map((host, i) => new LanDevice('twinfold', host, join(scratch.path, `${i}`)))
    await using _a = a!
    await using _friend = friend!
    await using _decoy = decoy!
    for (const device of [a!, friend!, decoy!])
      quietConfig(device.home, { listenAddress: 'tcp://0.0.0.0:22000', localAnnounceEnabled: String(device !== decoy) })
    a!.addDevice(friend!.id)
    friend!.addDevice(a!.id)
    a!.start()
    decoy!.start()
    await a!.ready()
    await decoy!.ready()
    const flooding = flood(hosts[2], '10.77.8.255', a!.id, friend!.id)
    const attackedMs = await pings(a!, flooding)
    const tried = await flooding
    const found = Object.keys((await a!.get('/rest/system/discovery')) as object)
    reportRow({ id: 'R-06', tried, entries: found.length, slowestPingMs: Math.round(Math.max(...attackedMs)) })
    assert.ok(found.length > 200 && found.length <= ENTRIES_MAX, `${found.length} entries`)
    const reason = await a!.until('the refusal', async () => {
      const { lastDialStatus } = (await a!.get('/rest/system/status')) as Status
      return lastDialStatus[`tcp://${hosts[2].address}:22000`]?.reason
    })
    assert.equal(reason, 'wrong-device')
    friend!.start()
    await friend!.ready()
    const id = friend!.id
    await a!.until('the connection', async () => (await a!.isConnectedTo(id)) || undefined)
  },
)
