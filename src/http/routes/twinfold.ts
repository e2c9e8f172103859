import type { NewFolderCheck } from '../../config/new-folder.ts'
import type { ConfigStore, TimedPausesView } from '../../config/types.ts'
import type { ConnectionsStatus } from '../../connections/types.ts'
import type { Grant } from '../../core/access.ts'
import { shortIdOf, shortIdText } from '../../core/device-id.ts'
import { TwinfoldError } from '../../core/errors.ts'
import type { DeviceId, FolderId, ShortId } from '../../core/ids.ts'
import { baseOf, isCanonical } from '../../core/paths.ts'
import type { OtherFacts } from '../../core/records/other-reasons.ts'
import { waitReason, itemReasons, type WhyFacts } from '../../core/records/reasons.ts'
import type { Disagreement } from '../../model/peers/disagreements.ts'
import type { MoveView } from '../../model/move/types.ts'
import type { FolderExplorer } from '../../model/queries/explorer.ts'
import type { FileFacts, WaitingPage } from '../../model/queries/explorer-types.ts'
import type { Hub } from '../../model/model.ts'
import type { CompletionView } from '../../model/queries/completion.ts'
import type { Clock } from '../../platform/clock.ts'
import { readBody } from '../../rest/read-body.ts'
import { TWINFOLD_ROUTES } from '../../rest/twinfold-routes.ts'
import type {
  CheckFolderJson,
  IgnorePreviewJson,
  PulseJson,
  SummaryJson,
  TreeJson,
  WaitingJson,
  WhyJson,
} from '../../rest/twinfold.ts'
import type { UpgradeView } from '../../upgrade/types.ts'
import type { PortMappingView } from '../../upnp/types.ts'
import type { ScheduleView } from '../../schedule/types.ts'
import { disagreementsJson } from '../views/disagreements.ts'
import { indexImportJson } from '../views/index-import.ts'
import { networkJson } from '../views/network.ts'
import { pauseFacts } from '../views/pause-facts.ts'
import { fileEntryJson } from '../views/file-entry.ts'
import { ignoredJson, itemJson } from '../views/item.ts'
import { parseJson } from '../pipeline/json.ts'
import { json, type Reply } from '../pipeline/reply.ts'
import { bind, type Call, type Route } from '../pipeline/route.ts'
import type { UndoLog } from '../pipeline/undo-log.ts'
import { conflictCounts, conflictDiff, conflicts, resolveConflicts } from './conflicts.ts'
import { findEverywhere, searchFolder } from './find.ts'
import { select, selection } from './selection.ts'
import { cancelMove, showMove, startMove } from './move.ts'
import { pauseForTime } from './timed-pause.ts'
import type { DeviceWarning, IndexImportView } from '../types.ts'
import { upgradeDetailsJson } from '../views/upgrade.ts'
import { flagOf, folderOf, itemOf, orderOf, pagingOf } from './tree-query.ts'

const PREVIEW_BYTES_MAX = 1024 * 1024
const PREVIEW_LINES_MAX = 2_000

export interface TwinfoldRouteDeps {
  explorer(): Promise<FolderExplorer>
  readonly hub: Pick<Hub, 'previewSelection' | 'resolveConflicts' | 'select' | 'selection'>
  readonly config: Pick<ConfigStore, 'current'>
  readonly clock: Clock
  readonly connections?: { status(): ConnectionsStatus }
  readonly completion?: CompletionView
  readonly portMapping?: PortMappingView
  readonly upgrade: UpgradeView
  readonly pauses: TimedPausesView
  readonly schedule: Pick<ScheduleView, 'status'>
  readonly undo: UndoLog
  readonly grant?: Grant
  readonly mover: MoveView
  warnings?(): Promise<readonly DeviceWarning[]>
  indexImport?(): IndexImportView | undefined
  disagreements?(): readonly Disagreement[]
  checkFolder(path: string): Promise<NewFolderCheck>
}

/** Replies about the whole device. */
interface WholeAnswers {
  summary(): Promise<SummaryJson>
  pulse(): PulseJson
}

/** Routes for the web page that Syncthing's interface does not have. */
export function twinfoldRoutes(deps: TwinfoldRouteDeps, whole: WholeAnswers): readonly Route[] {
  return bind(TWINFOLD_ROUTES, {
    'GET /rest/twinfold/summary': async () => json(await whole.summary()),
    'GET /rest/twinfold/warnings': async () => json((await deps.warnings?.()) ?? []),
    'GET /rest/twinfold/index-import': () => json({ progress: indexImportJson(deps.indexImport?.()) }),
    'GET /rest/twinfold/disagreements': () => json(disagreementsJson(deps.disagreements?.() ?? [])),
    'GET /rest/twinfold/pulse': () => json(whole.pulse()),
    'GET /rest/twinfold/network': () => json(networkJson(deps.config.current.options.natEnabled, deps.portMapping)),
    'GET /rest/twinfold/upgrade': () => json(upgradeDetailsJson(deps.upgrade.state())),
    'GET /rest/twinfold/tree': (call) => tree(deps, call),
    'GET /rest/twinfold/waiting': (call) => waiting(deps, call),
    'GET /rest/twinfold/why': (call) => why(deps, call),
    'GET /rest/twinfold/search': (call) => searchFolder(deps, call),
    'GET /rest/twinfold/find': (call) => findEverywhere(deps, call),
    'POST /rest/twinfold/ignore-preview': (call) => preview(deps, call),
    'GET /rest/twinfold/selection': (call) => selection(deps.hub, call),
    'POST /rest/twinfold/selection': (call) => select(deps.hub, call),
    'POST /rest/twinfold/pause': (call) => pauseForTime(deps, call),
    'POST /rest/twinfold/move': (call) => startMove(deps.mover, call),
    'GET /rest/twinfold/move': (call) => showMove(deps.mover, call),
    'DELETE /rest/twinfold/move': (call) => cancelMove(deps.mover, call),
    'GET /rest/twinfold/conflict-counts': (call) => conflictCounts(deps, call),
    'GET /rest/twinfold/conflicts': (call) => conflicts(deps, call),
    'GET /rest/twinfold/conflicts/diff': (call) => conflictDiff(deps, call),
    'POST /rest/twinfold/conflicts': (call) => resolveConflicts(deps, call),
    'POST /rest/twinfold/check-folder': async ({ query }) => {
      const body: CheckFolderJson = await deps.checkFolder(query.first('path') ?? '')
      return json(body)
    },
  })
}

async function tree(
  { explorer }: TwinfoldRouteDeps,
  { query, request }: Call<'folder' | 'prefix' | 'sort' | 'descending' | 'ignored' | 'page' | 'perpage'>,
): Promise<Reply> {
  const folder = folderOf(query)
  const paging = pagingOf(query)
  const directory = (query.first('prefix') ?? '').replace(/\/$/, '')
  if (directory !== '' && !isCanonical(directory))
    throw new TwinfoldError('bad-request', 'prefix must be a path inside the folder')
  const options = { order: orderOf(query), withIgnored: flagOf('ignored', query.first('ignored')) }
  const found = await (await explorer()).tree(folder, directory, paging, request.signal, options)
  const { total, truncated } = found
  const entries = [...found.items.map(itemJson), ...found.ignored.map(ignoredJson)].map((item) => ({
    ...item,
    name: baseOf(item.name),
  }))
  const body: TreeJson = { total, page: paging.page, perpage: paging.perPage, truncated, entries }
  return json(body)
}

/** Computed once per reply, because it copies the state of all connections. */
function connectedDevices({ connections }: TwinfoldRouteDeps): ReadonlySet<DeviceId> {
  return new Set(connections?.status().devices.keys())
}

async function waiting(
  deps: TwinfoldRouteDeps,
  { query, request }: Call<'folder' | 'page' | 'perpage' | 'after' | 'before'>,
): Promise<Reply> {
  const folder = folderOf(query)
  const paging = pagingOf(query)
  const [after, before] = [itemOf('after', query.first('after')), itemOf('before', query.first('before'))]
  if (after !== undefined && before !== undefined)
    throw new TwinfoldError('bad-request', 'after and before exclude each other')
  const found = await (await deps.explorer()).waiting(folder, { ...paging, after, before }, request.signal)
  const connected = connectedDevices(deps)
  const items = found.items.map((item) => waitingJson(found, item, connected))
  const body: WaitingJson = { total: found.total, page: paging.page, perpage: paging.perPage, items }
  return json(body)
}

function waitingJson(
  { folder }: WaitingPage,
  item: WaitingPage['items'][number],
  connected: ReadonlySet<DeviceId>,
): WaitingJson['items'][number] {
  const {
    records: { global },
    action,
    stage,
    bytesDone,
  } = item
  const holders = item.holders.filter((device) => connected.has(device))
  return {
    name: global.name,
    type: global.type,
    sizeBytes: global.sizeBytes,
    action,
    stage,
    bytesDone,
    reason: waitReason({ folder, stage, action, problem: item.problem, held: holders.length > 0 }),
    holders,
    knownHolders: item.holders,
  }
}

async function why(deps: TwinfoldRouteDeps, { query }: Call<'folder' | 'file'>): Promise<Reply> {
  const folder = folderOf(query)
  const file = query.first('file') ?? ''
  if (file === '') throw new TwinfoldError('bad-request', 'file is missing')
  const facts = await (await deps.explorer()).file(folder, file)
  const connected = connectedDevices(deps)
  const nameOf = (device: DeviceId) =>
    deps.config.current.devices.find(({ deviceID }) => deviceID === device)?.name || device
  const devices = facts.devices.map((each) => ({
    deviceID: each.deviceID,
    name: nameOf(each.deviceID),
    connected: connected.has(each.deviceID),
    version: each.version,
  }))
  const disagreements = (deps.disagreements?.() ?? [])
    .filter((each) => each.folder === folder)
    .map(({ device, code }) => ({ device: nameOf(device), code }))
  const local = facts.records?.local
  const author = local?.deleted === false ? local.contestedBy : undefined
  const contestedBy = author === undefined ? undefined : nameOfAuthor(deps, author)
  const collectedFrom = facts.deletedBy === undefined ? undefined : nameOfAuthor(deps, facts.deletedBy)
  const others = await Promise.all(
    devices.map(async ({ deviceID, name, connected: isConnected, version }) => ({
      name,
      isConnected,
      version,
      record: facts.records?.others.get(deviceID),
      folder: isConnected && version !== 'newest' ? await folderThere(deps, folder, deviceID) : undefined,
    })),
  )
  const pausedHolders = devices.flatMap(({ deviceID, name, version }) => {
    const pause = version === 'newest' ? pauseFacts(deps, 'device', deviceID) : undefined
    return pause === undefined ? [] : [{ name, pause }]
  })
  const more = {
    folder: { ...facts.folder, pause: pauseFacts(deps, 'folder', folder) },
    absence: { isMetered: deps.schedule.status().metered === 'yes', pausedHolders },
    disagreements,
    contestedBy,
    collectedFrom,
    others,
    nowMs: deps.clock.nowMs(),
  }
  const body: WhyJson = {
    folder,
    file,
    ...whyJson({ ...facts, ...more }, devices),
    ...recordsJson(facts),
    devices,
  }
  return json(body)
}

/** What a connected device has told about the folder. */
async function folderThere(
  { completion }: TwinfoldRouteDeps,
  folder: FolderId,
  device: DeviceId,
): Promise<OtherFacts['folder']> {
  const { remoteState } = (await completion?.completion(folder, device).catch(() => undefined)) ?? {}
  return remoteState === 'paused' ? 'paused' : remoteState === 'notSharing' ? 'not-shared' : undefined
}

function nameOfAuthor({ config }: TwinfoldRouteDeps, author: ShortId): string {
  const device = config.current.devices.find(({ deviceID }) => shortIdOf(deviceID) === author)
  return device?.name || shortIdText(author)
}

function whyJson(
  facts: FileFacts & Pick<WhyFacts, 'absence' | 'collectedFrom' | 'disagreements' | 'contestedBy' | 'others' | 'nowMs'>,
  devices: WhyJson['devices'],
): Pick<WhyJson, 'state' | 'upToDate' | 'reasons'> {
  const offeredBy = devices
    .filter(({ connected, version }) => connected && version === 'newest')
    .map(({ name }) => name)
  return itemReasons({ ...facts, offeredBy })
}

function recordsJson({ records }: FileFacts): Pick<WhyJson, 'local' | 'global'> {
  return {
    local: records?.local === undefined ? null : fileEntryJson(records.local),
    global: records === undefined ? null : fileEntryJson(records.global),
  }
}

async function preview({ explorer }: TwinfoldRouteDeps, { query, request }: Call<'folder'>): Promise<Reply> {
  const folder = folderOf(query)
  const { lines } = readBody(
    TWINFOLD_ROUTES['POST /rest/twinfold/ignore-preview'].body,
    parseJson(await request.body(PREVIEW_BYTES_MAX)),
  )
  if (lines.length > PREVIEW_LINES_MAX)
    throw new TwinfoldError('bad-request', `lines must be at most ${PREVIEW_LINES_MAX}`)
  const found = await (await explorer()).previewIgnores(folder, lines, request.signal)
  const body: IgnorePreviewJson = { ...found, lines: found.lines.map((line, at) => ({ line: at + 1, ...line })) }
  return json(body)
}
