import { CONFIG_VERSION, CONFIG_VERSION_KEPT_MIN, CONFIG_VERSION_MIN } from './config-fields.ts'
import { versionOf } from './config-from-xml.ts'
import {
  attributeOf,
  childText,
  childrenNamed,
  element,
  mapChildren,
  textElement,
  withAttribute,
  withChildText,
  withoutAttribute,
  withoutChildren,
  type XmlElement,
} from './xml-tree.ts'

/** One migration of the file format, to version `to`. */
interface Step {
  readonly to: number
  readonly change: (root: XmlElement) => XmlElement
}

const STEPS: readonly Step[] = [
  { to: 14, change: (root) => inFolders(root, typeFromReadOnly) },
  { to: 20, change: (root) => inOptions(inFolders(root, sizeFrom('minDiskFree')), sizeFrom('minHomeDiskFree')) },
  { to: 22, change: (root) => inFolders(root, externalCommand) },
  { to: 24, change: (root) => inOptions(root, (options) => withChildText(options, 'urSeen', '2')) },
  { to: 25, change: (root) => inFolders(root, (folder) => withAttribute(folder, 'fsWatcherDelayS', '10')) },
  { to: 27, change: (root) => inFolders(root, pendingFromPullers) },
  { to: 28, change: (root) => notify(root, 'fsWatcherNotification') },
  { to: 29, change: crashReporting },
  { to: 30, change: (root) => inOptions(root, rename('maxConcurrentScans', 'maxFolderConcurrency')) },
  { to: 31, change: (root) => notify(root, 'authenticationUserAndPassword') },
  { to: 32, change: (root) => inFolders(root, (folder) => withChildText(folder, 'junctionsAsDirs', 'true')) },
  { to: 33, change: withoutPending },
  { to: 34, change: defaultPath },
  { to: 35, change: (root) => inVersioning(root, versioningPlace) },
  { to: 36, change: (root) => inVersioning(root, (versioning) => withoutParam(versioning, 'cleanInterval')) },
  { to: 37, change: (root) => inFolders(root, rename('scanOwnership', 'sendOwnership')) },
]

export interface Migration {
  readonly root: XmlElement
  /** The version the file had. */
  readonly from: number
  /** Whether it is older than any documented format, so that its meaning is partly a guess. */
  readonly guessed: boolean
}

/** Migrates an older file to our format. One that its program still has to read keeps its number, and newer ones do. */
export function migrateConfig(root: XmlElement): Migration {
  const from = versionOf(root)
  if (from >= CONFIG_VERSION) return { root, from, guessed: false }
  const changed = STEPS.filter((step) => step.to > from).reduce((tree, step) => step.change(tree), root)
  if (from >= CONFIG_VERSION_KEPT_MIN) return { root: changed, from, guessed: false }
  return { root: withAttribute(changed, 'version', String(CONFIG_VERSION)), from, guessed: from < CONFIG_VERSION_MIN }
}

function inFolders(root: XmlElement, change: (folder: XmlElement) => XmlElement): XmlElement {
  return mapChildren(root, 'folder', change)
}

function inVersioning(root: XmlElement, change: (versioning: XmlElement) => XmlElement): XmlElement {
  return inFolders(root, (folder) => mapChildren(folder, 'versioning', change))
}

function inOptions(root: XmlElement, change: (options: XmlElement) => XmlElement): XmlElement {
  const there = childrenNamed(root, 'options').length > 0
  const whole = there ? root : { ...root, children: [...root.children, element('options')] }
  return mapChildren(whole, 'options', change)
}

/** The user's own choice under the new name wins over the old name. */
function rename(from: string, to: string): (parent: XmlElement) => XmlElement {
  return (parent) => {
    const text = childText(parent, from)
    const rest = withoutChildren(parent, from)
    return text === undefined || childText(rest, to) !== undefined ? rest : withChildText(rest, to, text)
  }
}

function notify(root: XmlElement, id: string): XmlElement {
  return inOptions(root, (options) => {
    const listed = childrenNamed(options, 'unackedNotificationID').some((one) => textIs(one, id))
    return listed ? options : { ...options, children: [...options.children, textElement('unackedNotificationID', id)] }
  })
}

function textIs(parent: XmlElement, text: string): boolean {
  return parent.children.some((node) => node.is === 'text' && node.text.trim() === text)
}

/** Pending devices and folders are stored in the index now. */
function withoutPending(root: XmlElement): XmlElement {
  const current = withoutChildren(root, 'pendingDevice')
  return mapChildren(current, 'device', (device) => withoutChildren(device, 'pendingFolder'))
}

function typeFromReadOnly(folder: XmlElement): XmlElement {
  const readOnly = attributeOf(folder, 'ro')
  const rest = withoutAttribute(folder, 'ro')
  if (readOnly === undefined || attributeOf(rest, 'type') !== undefined) return rest
  return withAttribute(rest, 'type', readOnly.trim() === 'true' ? 'sendonly' : 'sendreceive')
}

function sizeFrom(name: string): (parent: XmlElement) => XmlElement {
  return (parent) => {
    const percent = childText(parent, `${name}Pct`)
    const rest = withoutChildren(parent, `${name}Pct`)
    if (percent === undefined || childText(rest, name) !== undefined) return rest
    return { ...rest, children: [...rest.children, element(name, [['unit', '%']], [{ is: 'text', text: percent }])] }
  }
}

function externalCommand(folder: XmlElement): XmlElement {
  const typed = childText(folder, 'filesystemType') !== undefined
  const basic = typed ? folder : withChildText(folder, 'filesystemType', 'basic')
  return mapChildren(basic, 'versioning', (versioning) => {
    if (attributeOf(versioning, 'type') !== 'external') return versioning
    return mapChildren(versioning, 'param', (param) => {
      const command = attributeOf(param, 'val')
      if (attributeOf(param, 'key') !== 'command' || command === undefined || command === '') return param
      return withAttribute(param, 'val', `${command} %FOLDER_PATH% %FILE_PATH%`)
    })
  })
}

function pendingFromPullers(folder: XmlElement): XmlElement {
  const pullers = Number(childText(folder, 'pullers') ?? 0)
  const rest = withoutChildren(folder, 'pullers')
  if (!Number.isSafeInteger(pullers) || pullers <= 0) return rest
  if (childText(rest, 'pullerMaxPendingKiB') !== undefined) return rest
  return withChildText(rest, 'pullerMaxPendingKiB', String(pullers * 128))
}

function crashReporting(root: XmlElement): XmlElement {
  const options = childrenNamed(root, 'options')[0] ?? element('options')
  const announced = (childText(options, 'globalAnnounceEnabled') ?? 'true').trim() !== 'false'
  const enabled = announced || Number(childText(options, 'urAccepted') ?? 0) > 0
  const set = inOptions(root, (one) => withChildText(one, 'crashReportingEnabled', String(enabled)))
  return notify(set, enabled ? 'crAutoEnabled' : 'crAutoDisabled')
}

function defaultPath(root: XmlElement): XmlElement {
  const options = childrenNamed(root, 'options')[0]
  const path = options && childText(options, 'defaultFolderPath')
  const rest = mapChildren(root, 'options', (one) => withoutChildren(one, 'defaultFolderPath'))
  if (path === undefined || path === '') return rest
  const defaults = childrenNamed(rest, 'defaults')[0] ?? element('defaults')
  const folder = withAttribute(childrenNamed(defaults, 'folder')[0] ?? element('folder'), 'path', path)
  const others = withoutChildren(defaults, 'folder')
  const filled = { ...others, children: [...others.children, folder] }
  const bare = withoutChildren(rest, 'defaults')
  return { ...bare, children: [...bare.children, filled] }
}

function versioningPlace(versioning: XmlElement): XmlElement {
  const moved = moveParam(versioning, ['fsType'], 'fsType')
  return moveParam(moved, ['versionsPath', 'fsPath'], 'fsPath')
}

function moveParam(versioning: XmlElement, keys: readonly string[], to: string): XmlElement {
  const found = childrenNamed(versioning, 'param').find((param) => keys.includes(attributeOf(param, 'key') ?? ''))
  const rest = keys.reduce(withoutParam, versioning)
  const value = found && attributeOf(found, 'val')
  return value === undefined || value === '' ? rest : withChildText(rest, to, value)
}

function withoutParam(versioning: XmlElement, key: string): XmlElement {
  const children = versioning.children.filter(
    (node) => node.is !== 'element' || node.name !== 'param' || attributeOf(node, 'key') !== key,
  )
  return { ...versioning, children }
}
