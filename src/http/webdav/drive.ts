import type { FolderConfig } from '../../core/config/config.ts'
import type { FolderId } from '../../core/ids.ts'
import { parentOf } from '../../core/paths.ts'
import type { FileHead } from '../../core/records/file-info.ts'
import {
  childHref,
  DRIVE_PATH,
  hrefOf,
  isDrivePath,
  parseDrivePath,
  type DrivePath,
} from '../../core/webdav/drive-path.ts'
import { FINITE_DEPTH_ERROR, XML_TYPE, type DriveItem } from '../../core/webdav/multistatus.ts'
import { parseDepth, parsePropfind, PROPFIND_BYTES_MAX } from '../../core/webdav/propfind-request.ts'
import type { HttpRequest } from '../../platform/http.ts'
import type { RouteErrors } from '../../rest/declaration.ts'
import { headerOf } from '../pipeline/credentials.ts'
import type { PathTree } from '../pipeline/pipeline.ts'
import { text, type Reply } from '../pipeline/reply.ts'
import type { RestDeps } from '../types.ts'
import { contentReply } from '../views/content.ts'
import { driveItem, isOnDrive, listItems, listKnown } from './listing.ts'

const ALLOW = 'GET, HEAD, OPTIONS, PROPFIND'
/** What is read here is data of users, never a page of ours: scripts in it must not run with our origin. */
const SANDBOX = { 'Content-Security-Policy': "sandbox; default-src 'none'" }
const OFF = text(404, 'the network drive is off; switch it on by "twinfold drive on" or in the settings of the page')
const NOTHING_HERE = text(404, 'there is nothing at this address of the drive')
const DIRECTORY = 'This is a directory of a network drive (WebDAV, read-only). Open its address in a file manager.'
const READ_ONLY: Reply = {
  ...text(405, 'the drive is read-only: change the files in the folder itself'),
  headers: { Allow: ALLOW },
}

export type DriveDeps = Pick<RestDeps, 'config' | 'content' | 'explorer' | 'extensions'>

/** Folders as a read-only network drive: WebDAV below `/dav/`. */
export class Drive implements PathTree {
  readonly path = DRIVE_PATH
  readonly errors: RouteErrors = {
    'content-encrypted': { status: 409 },
    'content-unavailable': { status: 503 },
    'file-missing': { status: 404 },
    'folder-missing': { status: 404 },
    'folder-not-running': { status: 503 },
    'folder-paused': { status: 503 },
    refused: { status: 409 },
  }
  readonly #deps: DriveDeps

  constructor(deps: DriveDeps) {
    this.#deps = deps
  }

  get isOn(): boolean {
    return this.#deps.extensions.current.drive
  }

  owns(path: string): boolean {
    return isDrivePath(path)
  }

  /** Some clients ask at the top of the server, whatever the address that a user enters. */
  options(path: string): Reply | undefined {
    if (!this.isOn || !(path === '/' || isDrivePath(path))) return undefined
    return { status: 200, headers: { Allow: ALLOW, DAV: '1', 'MS-Author-Via': 'DAV' } }
  }

  async handle(request: HttpRequest, rawPath: string): Promise<Reply> {
    const reply = this.isOn ? await this.#reply(request, rawPath) : OFF
    return { ...reply, headers: { ...SANDBOX, ...reply.headers } }
  }

  async #reply(request: HttpRequest, rawPath: string): Promise<Reply> {
    const { method } = request
    if (method !== 'PROPFIND' && method !== 'GET' && method !== 'HEAD') return READ_ONLY
    const place = parseDrivePath(rawPath)
    if (place === undefined) return NOTHING_HERE
    if (place.folder === '') return method === 'PROPFIND' ? this.#listFolders(request) : text(200, DIRECTORY)
    const folder = this.#deps.config.current.folders.find(({ id }) => id === place.folder)
    const refusal = folder === undefined ? NOTHING_HERE : refusalOf(folder)
    if (folder === undefined || refusal !== undefined) return refusal ?? NOTHING_HERE
    return method === 'PROPFIND' ? this.#list(request, folder, place) : this.#read(request, folder, place)
  }

  async #listFolders(request: HttpRequest): Promise<Reply> {
    const { depth, wanted, refusal } = await readPropfind(request)
    if (refusal !== undefined) return refusal
    const top: DriveItem = { ...NO_FILE, href: `${DRIVE_PATH}/`, displayName: 'Twinfold' }
    const readable = this.#deps.config.current.folders.filter(({ type }) => type !== 'receiveencrypted')
    const folders = depth === 0 ? [] : readable
    return multistatus(listKnown(wanted, [top, ...folders.map(rootItem)]))
  }

  async #list(request: HttpRequest, folder: FolderConfig, place: DrivePath): Promise<Reply> {
    const { depth, wanted, refusal } = await readPropfind(request)
    if (refusal !== undefined) return refusal
    const head = place.name === '' ? undefined : await this.#item(folder.id, place)
    if (place.name !== '' && head === undefined) return NOTHING_HERE
    const self = head === undefined ? rootItem(folder) : driveItem(head, parentHref(place))
    if (depth === 0 || self.file !== undefined) return multistatus(listKnown(wanted, [self]))
    const explorer = await this.#deps.explorer()
    return multistatus(listItems(wanted, self, explorer.globalLevel(folder.id, head?.name ?? '', request.signal)))
  }

  async #read(request: HttpRequest, folder: FolderConfig, place: DrivePath): Promise<Reply> {
    const head = place.name === '' ? undefined : await this.#item(folder.id, place)
    if (place.name !== '' && head === undefined) return NOTHING_HERE
    if (head === undefined || head.type === 'directory') return text(200, DIRECTORY)
    const opened = await this.#deps.content.open(folder.id, head.name, request.signal)
    return await contentReply(opened, request, { disposition: 'inline' })
  }

  /** Some clients decompose letters with accents; names in an index are composed. */
  async #item(folder: FolderId, { name, isDirectory }: DrivePath): Promise<FileHead | undefined> {
    const explorer = await this.#deps.explorer()
    const composed = name.normalize('NFC')
    const item =
      (await explorer.globalItem(folder, name)) ??
      (composed === name ? undefined : await explorer.globalItem(folder, composed))
    if (item === undefined || !isOnDrive(item) || (isDirectory && item.type !== 'directory')) return undefined
    return item
  }
}

const NO_FILE = { modifiedMs: undefined, file: undefined }

function rootItem({ id, label }: FolderConfig): DriveItem {
  return { ...NO_FILE, href: childHref(`${DRIVE_PATH}/`, id, true), displayName: label === '' ? id : label }
}

function parentHref({ folder, name }: DrivePath): string {
  return hrefOf({ folder, name: parentOf(name), isDirectory: true })
}

/** Why nothing of a folder can be read; undefined when it can. */
function refusalOf({ id, paused, type }: FolderConfig): Reply | undefined {
  if (type === 'receiveencrypted') return text(409, `folder ${id} is encrypted here, and this device has no password`)
  return paused ? text(503, `folder ${id} is paused; resume it to read its files`) : undefined
}

function multistatus(body: NonNullable<Reply['body']>): Reply {
  return { status: 207, contentType: XML_TYPE, body }
}

type ReadPropfind =
  | { readonly refusal: Reply; readonly depth?: undefined; readonly wanted?: undefined }
  | { readonly refusal?: undefined; readonly depth: 0 | 1; readonly wanted: ReturnType<typeof parsePropfind> }

async function readPropfind(request: HttpRequest): Promise<ReadPropfind> {
  const depth = parseDepth(headerOf(request, 'depth'))
  if (depth === undefined) return { refusal: text(400, 'the header Depth must be 0 or 1') }
  if (depth === 'infinity') return { refusal: { status: 403, contentType: XML_TYPE, body: FINITE_DEPTH_ERROR } }
  return { depth, wanted: parsePropfind(await request.body(PROPFIND_BYTES_MAX)) }
}
