import { formatSpace } from '../config/disk-space.ts'
import { isPathWithin } from '../paths.ts'
import { countText, DAY_MS, spanText, type DoctorCheck } from './check.ts'
import type { FolderFacts } from './facts.ts'
import { remedyCommand, shellName } from '../remedies/remedy-command.ts'

const PAUSED_DAYS = 30
/** Below this, versions that stay for ever need no limit. */
const VERSIONS_BYTES_MIN = 100e6
const VERSIONS_FILES_MIN = 1_000

/** Checks of folders. */
export const FOLDER_CHECKS: readonly DoctorCheck[] = [
  {
    code: 'folder-stopped',
    about: 'a folder that has stopped',
    find: ({ troubles }) =>
      troubles
        .filter(({ about }) => about === 'folder')
        .map(({ folder, message, remedy, command, cause }) => ({
          severity: 'error',
          message: `folder "${folder}" is stopped: ${message}`,
          evidence: `cause: ${cause}`,
          remedy,
          command: command ?? remedyCommand(cause, folder),
          folder,
        })),
  },
  {
    code: 'items-failed',
    about: 'items that could not be read or downloaded',
    find: ({ troubles }) =>
      troubles
        .filter(({ about }) => about === 'items')
        .map(({ folder, message, remedy, command, items, cause }) => ({
          severity: 'error',
          message: `folder "${folder}" has items that could not be synchronized: ${message}`,
          evidence: `${countText(items, 'item')}; "twinfold status ${shellName(folder)}" lists them`,
          remedy: remedy === '' ? 'none is needed: it continues by itself' : remedy,
          command: command ?? remedyCommand(cause, folder),
          folder,
        })),
  },
  {
    code: 'watch-failed',
    about: 'a folder that is not watched for changes',
    find: ({ troubles, folders }) =>
      troubles
        .filter(({ about }) => about === 'watch')
        .map(({ folder, message, remedy, command }) => {
          const interval = folders.find(({ config }) => config.id === folder)?.config.rescanIntervalS ?? 0
          const scans = interval === 0 ? 'never, because full scans are off' : `every ${spanText(interval * 1_000)}`
          return {
            severity: interval === 0 ? 'error' : 'warning',
            message: `changes in folder "${folder}" are only found by full scans: ${message}`,
            evidence: `it is scanned ${scans}`,
            remedy,
            command: command ?? `twinfold scan ${shellName(folder)}`,
            folder,
          }
        }),
  },
  {
    code: 'changes-not-found',
    about: 'a folder that is neither watched nor scanned',
    find: ({ folders }) =>
      folders
        .filter(
          ({ config: { paused, rescanIntervalS, fsWatcherEnabled } }) =>
            !paused && rescanIntervalS === 0 && !fsWatcherEnabled,
        )
        .map(({ config: { id } }) => ({
          severity: 'warning',
          message: `changes in folder "${id}" are not found by themselves`,
          evidence: 'it is not watched, and its rescan interval is 0',
          remedy: 'watch it, or scan it by a timer of your own',
          command: `twinfold folder set ${shellName(id)} --watch on --rescan-interval 3600`,
          folder: id,
        })),
  },
  {
    code: 'folder-inside-folder',
    about: 'a folder inside another one',
    find: ({ folders }) =>
      folders.flatMap(({ config: { id, path }, root }) => {
        const around = folders.find(
          (each) =>
            each.root !== undefined &&
            root !== undefined &&
            each.config.id !== id &&
            isPathWithin(root, each.root) &&
            (root !== each.root || each.config.id < id),
        )
        return around === undefined
          ? []
          : [
              {
                severity: 'warning',
                message: `folder "${id}" is inside folder "${around.config.id}": its files are synchronized twice`,
                evidence: `${path} is at or below ${around.config.path}`,
                remedy: 'move one of them, or ignore the directory in the outer folder',
                command: `twinfold folder move ${shellName(id)} NEW-DIRECTORY`,
                folder: id,
              },
            ]
      }),
  },
  {
    code: 'ignore-error',
    about: 'ignore patterns that cannot be read',
    find: ({ folders }) =>
      folders.flatMap(({ config: { id, path }, ignoreError }) =>
        ignoreError === undefined
          ? []
          : [
              {
                severity: 'error',
                message: `the ignore patterns of folder "${id}" are wrong, so it does not scan`,
                evidence: ignoreError,
                remedy: 'correct the line in .stignore',
                command: `"\${EDITOR:-vi}" ${shellName(`${path}/.stignore`)}`,
                folder: id,
              },
            ],
      ),
  },
  {
    code: 'losses-held',
    about: 'a loss of files that the deletion guard holds',
    find: ({ folders }) =>
      folders
        .filter(({ heldFiles }) => heldFiles > 0)
        .map(({ config: { id }, heldFiles }) => ({
          severity: 'error',
          message: `the deletion guard holds a loss in folder "${id}" until you decide`,
          evidence: countText(heldFiles, 'file'),
          remedy: 'look at it, then apply or refuse it',
          command: `twinfold guard show ${shellName(id)}`,
          folder: id,
        })),
  },
  {
    code: 'conflicts',
    about: 'conflict copies',
    find: ({ folders }) =>
      folders
        .filter(({ conflicts }) => conflicts > 0)
        .map(({ config: { id }, conflicts }) => ({
          severity: 'warning',
          message: `folder "${id}" has conflicts that wait for a decision`,
          evidence: countText(conflicts, 'conflict copy', 'conflict copies'),
          remedy: 'compare them, and keep one of each',
          command: `twinfold conflicts ${shellName(id)}`,
          folder: id,
        })),
  },
  {
    code: 'conflicts-discarded',
    about: 'a folder that discards the losing side of a conflict',
    find: ({ folders }) =>
      folders
        .filter(({ config: { maxConflicts, type } }) => maxConflicts === 0 && type !== 'sendonly')
        .map(({ config: { id } }) => ({
          severity: 'warning',
          message: `when two devices edit a file of folder "${id}", one of the edits is lost`,
          evidence: 'maxConflicts is 0: no conflict copies are made',
          remedy: 'keep conflict copies',
          command: `twinfold cli config folders ${shellName(id)} max-conflicts set 10`,
          folder: id,
        })),
  },
  {
    code: 'fsync-off',
    about: 'a folder whose files are not forced to the disk',
    find: ({ folders }) =>
      folders
        .filter(({ config: { disableFsync } }) => disableFsync)
        .map(({ config: { id } }) => ({
          severity: 'warning',
          message: `a power failure can leave empty files in folder "${id}", which other devices then receive`,
          evidence: 'disableFsync is set',
          remedy: 'switch it off',
          command: `twinfold cli config folders ${shellName(id)} disable-fsync set false`,
          folder: id,
        })),
  },
  {
    code: 'versions-never-cleaned',
    about: 'old versions that are never removed',
    find: ({ folders }) =>
      folders.flatMap((folder) => {
        const { config, versions } = folder
        if (!isEverlasting(folder) || versions === undefined) return []
        if (versions.sizeBytes < VERSIONS_BYTES_MIN && versions.files < VERSIONS_FILES_MIN) return []
        return [
          {
            severity: 'warning' as const,
            message: `old versions in folder "${config.id}" are never removed`,
            evidence:
              `${countText(versions.files, 'version')}, ${formatSpace(versions.sizeBytes)}; ` +
              `versioning is ${config.versioning.type} without a limit`,
            remedy: 'set a limit in days, or a share of the disk',
            command: `twinfold versions on ${shellName(config.id)} --type ${config.versioning.type} --days 30`,
            folder: config.id,
          },
        ]
      }),
  },
  {
    code: 'paused-long',
    about: 'a folder that is paused for a month',
    find: ({ folders, nowMs }) =>
      folders
        .filter(
          ({ config, lastScanMs }) => config.paused && lastScanMs > 0 && nowMs - lastScanMs > PAUSED_DAYS * DAY_MS,
        )
        .map(({ config: { id }, lastScanMs }) => ({
          severity: 'notice',
          message: `folder "${id}" is paused`,
          evidence: `its last scan was ${spanText(nowMs - lastScanMs)} ago`,
          remedy: 'resume it, or remove it',
          command: `twinfold folder resume ${shellName(id)}`,
          folder: id,
        })),
  },
  {
    code: 'folder-not-shared',
    about: 'a folder that is shared with no device',
    find: ({ folders }) =>
      folders
        .filter(({ sharedWith }) => sharedWith.length === 0)
        .map(({ config: { id } }) => ({
          severity: 'notice',
          message: `folder "${id}" is shared with no device, so it is synchronized with none`,
          evidence: 'it has no device but this one',
          remedy: 'share it',
          command: `twinfold folder share ${shellName(id)} DEVICE`,
          folder: id,
        })),
  },
  {
    code: 'deletions-ignored',
    about: 'a folder that ignores deletions',
    find: ({ folders }) =>
      folders
        .filter(({ config: { ignoreDelete } }) => ignoreDelete)
        .map(({ config: { id } }) => ({
          severity: 'warning',
          message: `folder "${id}" ignores deletions of other devices, and therefore never is in sync`,
          evidence: 'ignoreDelete is set',
          remedy: 'use "collect" instead: files stay here, and the devices agree',
          command:
            `twinfold cli config folders ${shellName(id)} ignore-delete set false && ` +
            `twinfold folder set ${shellName(id)} --collect on`,
          folder: id,
        })),
  },
  {
    code: 'local-changes-not-sent',
    about: 'changes in a receive-only folder',
    find: ({ folders }) =>
      folders
        .filter(({ receiveOnlyChanged }) => receiveOnlyChanged > 0)
        .map(({ config: { id }, receiveOnlyChanged }) => ({
          severity: 'notice',
          message: `changes made here in folder "${id}" are not sent: it is receive-only`,
          evidence: countText(receiveOnlyChanged, 'item'),
          remedy: 'undo them, or make the folder send and receive',
          command: `twinfold folder revert ${shellName(id)}`,
          folder: id,
        })),
  },
]

/** Staggered versioning has a limit of a year, unless that is 0; the others need one in days or in percent. */
export function isEverlasting({
  config: { versioning },
  extensions,
}: Pick<FolderFacts, 'config' | 'extensions'>): boolean {
  const { type, params } = versioning
  if (extensions.versionsPercentMax > 0) return false
  if (type === 'trashcan' || type === 'simple') return Number(params['cleanoutDays'] ?? 0) === 0
  return type === 'staggered' && params['maxAge'] === '0'
}
