import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { addPeer, startMember, type Member } from '../../test/support/daemon-pair.ts'
import { eventually } from '../../test/support/scratch.ts'
import { OFFLINE_NAMES, HOSTILE, idFor, PAUSED, PLAIN } from './names.ts'
import { announceQueue } from './queue.ts'

const LARGE_COUNT = 20_000
const CONFLICTS = 32
const SETTLED_MS_MAX = 180_000

export interface Rig extends AsyncDisposable {
  /** The device whose page is tried. */
  readonly desk: Member
  /** The root of the folder with the large directory. */
  readonly large: string
}

/** Three daemons that run, one that asks to connect, and many devices that are only configured. */
interface Members {
  readonly desk: Member
  readonly nas: Member
  readonly laptop: Member
}

/** Builds everything; takes about a minute. */
export async function startRig(directory: string, queueLength: number): Promise<Rig> {
  const large = join(directory, 'desk', 'Measurements')
  writeFiles(join(large, 'all'), LARGE_COUNT, 'reading')
  await using stack = new AsyncDisposableStack()
  const desk = stack.use(await startMember(directory, 'desk'))
  const nas = stack.use(await startMember(directory, 'nas'))
  const laptop = stack.use(await startMember(directory, 'laptop'))
  const members = { desk, nas, laptop }
  await nameMembers(members)
  const away = await addAway(desk)
  await addPlain(directory, desk, nas)
  await addSpecial(directory, members)
  await addShared(directory, members, away)
  await announceQueue(desk, join(directory, 'desk', 'Archive'), queueLength)
  await settled(desk)
  await laptop.daemon[Symbol.asyncDispose]()
  writeFiles(join(directory, 'desk', 'Projects'), 40, 'later')
  await desk.daemon.post('/rest/db/scan?folder=projects')
  await breakSome(directory, desk)
  const stranger = stack.use(await startMember(directory, 'stranger'))
  await addPeer(stranger, desk, { name: 'desk' })
  const kept = stack.move()
  return { desk, large, [Symbol.asyncDispose]: () => kept.disposeAsync() }
}

async function nameMembers(members: Members): Promise<void> {
  const { desk, nas, laptop } = members
  await desk.daemon.request('PATCH', '/rest/config/options', { unackedNotificationIDs: [] }) // questions of a new home
  for (const [name, { daemon, id }] of Object.entries(members))
    await daemon.request('PATCH', `/rest/config/devices/${id}`, { name })
  for (const [other, name] of [
    [nas, 'nas'],
    [laptop, 'laptop'],
  ] as const) {
    await addPeer(desk, other, { name })
    await addPeer(other, desk, { name: 'desk' })
  }
}

/** Valid IDs of devices that do not exist. */
async function addAway({ daemon }: Member): Promise<readonly string[]> {
  const ids: string[] = []
  for (const [at, name] of OFFLINE_NAMES.entries()) {
    const raw = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.charAt(at + 1).repeat(52)
    const { id } = (await daemon.get(`/rest/svc/deviceid?id=${raw}`)) as { id?: string }
    if (id === undefined) throw new Error(`${raw} is no device ID`)
    await daemon.post('/rest/config/devices', { deviceID: id, name, addresses: [`tcp://127.0.0.1:${at + 1}`] })
    ids.push(id)
  }
  return ids
}

function writeFiles(root: string, count: number, stem: string): void {
  mkdirSync(root, { recursive: true })
  for (let at = 0; at < count; at++) writeFileSync(join(root, `${stem} ${String(at).padStart(5, '0')}.txt`), `${at}`)
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

async function addPlain(directory: string, desk: Member, nas: Member): Promise<void> {
  for (const [at, label] of [...PLAIN, ...PAUSED].entries()) {
    const [id, root] = [idFor(label, at), join(directory, 'desk', label)]
    writeFiles(root, 3 + (at % 7), label)
    const paused = PAUSED.includes(label)
    const isShared = at % 4 !== 3 && !paused
    const devices = isShared ? [{ deviceID: nas.id }] : []
    await desk.daemon.addFolder(id, root, { label, devices, paused })
    if (isShared)
      await nas.daemon.addFolder(id, join(directory, 'nas', label), { label, devices: [{ deviceID: desk.id }] })
  }
}

/** One folder for each state that is rare. */
async function addSpecial(directory: string, { desk, nas }: Members): Promise<void> {
  const add = async (id: string, label: string, more: Readonly<Record<string, unknown>> = {}) => {
    const [here, there] = [join(directory, 'desk', label), join(directory, 'nas', label)]
    for (const root of [here, there]) mkdirSync(root, { recursive: true })
    await nas.daemon.addFolder(id, there, { label, devices: [{ deviceID: desk.id }] })
    await desk.daemon.addFolder(id, here, { label, devices: [{ deviceID: nas.id }], ...more })
    return { here, there }
  }
  await desk.daemon.addFolder('measurements', join(directory, 'desk', 'Measurements'), { label: 'Measurements' })
  const { here: odd } = await add('odd-names', 'Odd names')
  for (const name of HOSTILE) write(join(odd, name.slice(0, 240)), name)
  for (let at = 0; at < CONFLICTS; at++) {
    const second = String(at).padStart(2, '0')
    write(join(odd, `plan ${at}.sync-conflict-20260102-0304${second}-ABCDEFG.txt`), '')
  }
  await add('usb-disk', 'USB disk')
  const { there: full } = await add('full-disk', 'Full disk', { minDiskFree: { value: 99.999, unit: '%' } })
  writeFiles(full, 12, 'too much')
  const { there: sent } = await add('send-only', 'Published', { type: 'sendonly' })
  writeFiles(sent, 5, 'edited elsewhere')
  const { here: received } = await add('receive-only', 'Mirror', { type: 'receiveonly' })
  writeFiles(received, 4, 'edited here')
  await nas.daemon.addFolder('offered', join(directory, 'nas', 'Holiday'), {
    label: 'Holiday',
    devices: [{ deviceID: desk.id }],
  })
  for (const { daemon } of [nas, desk]) await daemon.post('/rest/db/scan')
}

/** A folder of all devices, ignored files, old versions, and a folder of a device that goes offline. */
async function addShared(directory: string, { desk, nas, laptop }: Members, away: readonly string[]): Promise<void> {
  const here = (...path: readonly string[]) => join(directory, 'desk', ...path)
  for (const year of ['2024', '2025', '2026']) writeFiles(here('Album', year), 30, 'picture')
  const everyone = [nas.id, laptop.id, ...away].map((deviceID) => ({ deviceID }))
  await desk.daemon.addFolder('album', here('Album'), { label: 'Album', devices: everyone })
  for (const [name, { daemon }] of Object.entries({ nas, laptop }))
    await daemon.addFolder('album', join(directory, name, 'Album'), {
      label: 'Album',
      devices: [{ deviceID: desk.id }],
    })
  write(here('Projects', '.stignore'), '// made by tools\nnode_modules\n*.log\n')
  writeFiles(here('Projects', 'site', 'node_modules'), 20, 'package')
  write(here('Projects', 'site', 'build.log'), 'done')
  write(here('Projects', 'site', 'index.html'), '<p>')
  for (let at = 1; at < 9; at++) write(here('Documents', '.stversions', `letter~2026010${at}-030405.txt`), `${at}`)
  await desk.daemon.request('PATCH', '/rest/config/folders/documents', { versioning: { type: 'simple', params: {} } })
  const projects = (await desk.daemon.get('/rest/config/folders/projects')) as { devices: readonly unknown[] }
  const devices = [...projects.devices, { deviceID: laptop.id }]
  await desk.daemon.request('PATCH', '/rest/config/folders/projects', { devices })
  await laptop.daemon.addFolder('projects', join(directory, 'laptop', 'Projects'), { devices: [{ deviceID: desk.id }] })
}

interface Summary {
  readonly folders: Readonly<Record<string, { readonly status: { readonly state: string } }>>
}

/** All folders have been scanned, and connected devices have what there was. */
async function settled({ daemon }: Member): Promise<void> {
  await eventually(
    'the first scans',
    async () => {
      const { folders } = (await daemon.get('/rest/twinfold/summary')) as Summary
      const states = Object.values(folders).map(({ status }) => status.state)
      return states.every((state) => !/scan|sync/.test(state)) || undefined
    },
    SETTLED_MS_MAX,
  )
}

/** Removes what a removed disk takes away. */
async function breakSome(directory: string, { daemon }: Member): Promise<void> {
  rmSync(join(directory, 'desk', 'USB disk'), { recursive: true })
  rmSync(join(directory, 'desk', 'Scans', '.stfolder'), { recursive: true })
  for (const id of ['usb-disk', 'scans', 'odd-names', 'receive-only', 'full-disk', 'send-only'])
    await daemon.request('POST', `/rest/db/scan?folder=${id}`) // refused by those that are broken
}
