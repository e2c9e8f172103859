import type { Size } from '../config/config.ts'
import { formatSpace, shortageOf } from '../config/disk-space.ts'
import { countText, spanText, type DoctorCheck } from './check.ts'
import type { FolderFacts, SpaceFacts } from './facts.ts'
import { remedyCommand, shellName } from '../remedies/remedy-command.ts'

/** File systems of other machines, on which locks and order of writes are not reliable enough for a database. */
const NETWORK_FILE_SYSTEMS = /^(nfs\d?|cifs|smb3?|smbfs|afs|9p|ceph|glusterfs|fuse\.(sshfs|rclone|s3fs|glusterfs))$/
const NEAR_FULL_PERCENT = 5
const NEAR_FULL_BYTES = 10e9
const FULL_SOON_DAYS = 14
const GROUP_OR_OTHER_WRITES = 0o022
const OWNER_WRITES = 0o200

function shareText({ freeBytes, totalBytes }: SpaceFacts): string {
  const percent = totalBytes > 0 ? ` (${((100 * Math.max(0, freeBytes)) / totalBytes).toFixed(1)} %)` : ''
  return `${formatSpace(freeBytes)} of ${formatSpace(totalBytes)} free${percent}`
}

function sizeText({ value, unit }: Size): string {
  return `${value} ${unit}`.trim()
}

/** Checks of disks and directories. */
export const DISK_CHECKS: readonly DoctorCheck[] = [
  {
    code: 'space-below-minimum',
    about: 'less space is free than a folder keeps free',
    find: ({ disks, folders }) =>
      disks.flatMap((disk) =>
        folders
          .filter(({ config }) => disk.folders.includes(config.id))
          .filter(({ config }) => shortageOf(disk, config.minDiskFree) !== undefined)
          .map(({ config: { id, minDiskFree } }) => ({
            severity: 'error',
            message: `folder "${id}" receives nothing: less space is free than it keeps free`,
            evidence: `${shareText(disk)} at ${disk.path}; the folder keeps ${sizeText(minDiskFree)} free`,
            remedy: 'make room on the disk, or change the minimum',
            command: remedyCommand('lowSpace', id),
            folder: id,
          })),
      ),
  },
  {
    code: 'disk-nearly-full',
    about: 'a disk is full or nearly full',
    find: ({ disks }) =>
      disks
        .filter(({ totalBytes }) => totalBytes > 0)
        .filter(({ freeBytes, totalBytes }) => {
          const percent = (100 * freeBytes) / totalBytes
          return freeBytes <= 0 || (percent < NEAR_FULL_PERCENT && freeBytes < NEAR_FULL_BYTES)
        })
        .map((disk) => ({
          severity: disk.freeBytes <= 0 ? 'error' : 'warning',
          message: `the disk at ${disk.path} is ${disk.freeBytes <= 0 ? 'full' : 'nearly full'}`,
          evidence: shareText(disk),
          remedy: 'make room on it, empty the trash of a folder, or move a folder to another disk',
          command:
            disk.folders[0] === undefined
              ? `du -xh --max-depth=2 ${shellName(disk.path)}`
              : `twinfold trash empty ${shellName(disk.folders[0])} --older 7d`,
        })),
  },
  {
    code: 'disk-full-soon',
    about: 'a disk will be full in two weeks',
    find: ({ disks }) =>
      disks.flatMap(({ path, daysLeft, freeBytes, totalBytes }) =>
        daysLeft === undefined || daysLeft > FULL_SOON_DAYS
          ? []
          : [
              {
                severity: 'warning',
                message: `the disk at ${path} will be full in about ${countText(Math.round(daysLeft), 'day')}`,
                evidence: `${shareText({ freeBytes, totalBytes })}, at the rate of the last two weeks`,
                remedy: 'make room on it, or move a folder to another disk',
                command: 'twinfold series',
              },
            ],
      ),
  },
  {
    code: 'home-space',
    about: 'less space is free than the index needs',
    find: ({ home }) =>
      home.space === undefined || shortageOf(home.space, home.minFree) === undefined
        ? []
        : [
            {
              severity: 'error',
              message: 'all folders stop: less space is free than the database needs',
              evidence: `${shareText(home.space)} at ${home.path}; ${sizeText(home.minFree)} are kept free`,
              remedy: 'make room on the disk of the home',
              command: `du -xh --max-depth=2 ${shellName(home.path)}`,
            },
          ],
  },
  {
    code: 'index-on-network-disk',
    about: 'the index is on a disk of another machine',
    find: ({ home }) =>
      home.fileSystem === undefined || !NETWORK_FILE_SYSTEMS.test(home.fileSystem)
        ? []
        : [
            {
              severity: 'warning',
              message: 'the index is on a disk of another machine: databases there are slow, and damaged when it fails',
              evidence: `${home.path} is on ${home.fileSystem}`,
              remedy: 'keep the home on a local disk',
              command: 'twinfold serve --data DIRECTORY',
            },
          ],
  },
  {
    code: 'owner-differs',
    about: 'the directory of a folder belongs to another user',
    find: ({ folders, userId }) =>
      folders.flatMap(({ config: { id, path, type }, owner }) => {
        if (owner === undefined || userId === undefined || owner.userId === userId) return []
        const isShared = (owner.mode & GROUP_OR_OTHER_WRITES) !== 0
        if (isShared) return []
        const isReadOnly = userId !== 0
        return [
          {
            severity: isReadOnly && type !== 'sendonly' ? 'error' : 'warning',
            message: isReadOnly
              ? `folder "${id}" belongs to another user: files in it cannot be written`
              : `folder "${id}" belongs to another user: new files in it will belong to root`,
            evidence:
              `${path} belongs to user ${owner.userId} (mode ${owner.mode.toString(8)}), ` +
              `this program is user ${userId}`,
            remedy: 'change the owner of the directory, or run this program as that user (PUID of a container)',
            command: `sudo chown -R ${userId} ${shellName(path)}`,
            folder: id,
          },
        ]
      }),
  },
  {
    code: 'directory-read-only',
    about: 'the directory of a folder cannot be written',
    find: ({ folders, userId }) =>
      folders.flatMap(({ config: { id, path, type }, owner }) =>
        owner === undefined ||
        userId === 0 ||
        owner.userId !== userId ||
        type === 'sendonly' ||
        (owner.mode & OWNER_WRITES) !== 0
          ? []
          : [
              {
                severity: 'error' as const,
                message: `folder "${id}" receives nothing: its directory cannot be written`,
                evidence: `${path} has mode ${owner.mode.toString(8)}`,
                remedy: 'allow its owner to write, or make the folder send-only',
                command: `chmod u+w ${shellName(path)}`,
                folder: id,
              },
            ],
      ),
  },
  {
    code: 'disk-cannot-sleep',
    about: 'settings that wake a disk again and again',
    find: ({ folders }) =>
      folders.flatMap((folder) => {
        const reasons = wakingReasons(folder)
        const { id } = folder.config
        return reasons.length === 0
          ? []
          : [
              {
                severity: 'notice',
                message: `the disk of folder "${id}" cannot sleep for more than an hour`,
                evidence: reasons.join('; '),
                remedy: 'scan less often; changes are found by the watch at once',
                command: `twinfold folder set ${shellName(id)} --rescan-interval 86400`,
                folder: id,
              },
            ]
      }),
  },
  {
    code: 'names-fold-case',
    about: 'a disk that ignores case is set as one that does not',
    find: ({ folders }) =>
      folders
        .filter(({ foldsCase, config }) => foldsCase === true && config.caseSensitiveFS)
        .map(({ config: { id, path } }) => ({
          severity: 'error',
          message:
            `folder "${id}" is set as case-sensitive, but its disk is not: ` +
            'files of similar names overwrite each other',
          evidence: `the marker in ${path} is found by its name in other letters, too`,
          remedy: 'switch the setting off',
          command: `twinfold cli config folders ${shellName(id)} case-sensitive-fs set false`,
          folder: id,
        })),
  },
  {
    code: 'names-fold-unicode',
    about: 'a disk that ignores Unicode normalization, with automatic normalization off',
    find: ({ folders }) =>
      folders
        .filter(({ foldsUnicode, config }) => foldsUnicode === true && !config.autoNormalize)
        .map(({ config: { id, path } }) => ({
          severity: 'warning',
          message: `folder "${id}" does not normalize names, but its disk does: such files are not synchronized`,
          evidence: `a name in ${path} is found in its other normalization form, too`,
          remedy: 'switch automatic normalization on',
          command: `twinfold cli config folders ${shellName(id)} auto-normalize set true`,
          folder: id,
        })),
  },
  {
    code: 'temporary-files-left',
    about: 'old temporary files',
    find: ({ folders }) =>
      folders
        .filter(({ oldTemporaryFiles }) => oldTemporaryFiles > 0)
        .map(({ config: { id }, oldTemporaryFiles: count }) => ({
          severity: 'notice',
          message: `folder "${id}" has temporary files of downloads that never ended`,
          evidence: `${countText(count, 'file')} at its top, older than they are kept`,
          remedy: 'scan the folder, which removes them',
          command: `twinfold scan ${shellName(id)}`,
          folder: id,
        })),
  },
]

/** A scan reads every directory, so that a disk does not sleep for longer than between two of them. */
function wakingReasons({ config: { paused, rescanIntervalS, fsWatcherEnabled } }: FolderFacts): readonly string[] {
  const isFrequent = rescanIntervalS > 0 && rescanIntervalS < 3_600
  if (paused || !isFrequent || !fsWatcherEnabled) return []
  return [`it is scanned every ${spanText(rescanIntervalS * 1_000)}, although it is watched`]
}
