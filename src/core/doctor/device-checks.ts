import { spanText, countText, DAY_MS, type DoctorCheck } from './check.ts'
import { shellName } from '../remedies/remedy-command.ts'

/** Fewer are used up by one large folder and its connections. */
const OPEN_FILES_MIN = 1_024
const OPEN_FILES_SHARE = 0.8
const CERTIFICATE_DAYS = 30
const WATCHES_SHARE = 0.9

/** Checks of the process, its settings and its home. */
export const DEVICE_CHECKS: readonly DoctorCheck[] = [
  {
    code: 'page-open',
    about: 'the page is open without a password',
    find: ({ warnings }) =>
      warnings
        .filter(({ code }) => code === 'gui-open')
        .map(({ message, remedy }) => ({
          severity: 'error',
          message,
          evidence: 'no user name and password are set',
          remedy,
          command: 'twinfold cli config gui user set NAME && twinfold cli config gui password set -',
        })),
  },
  {
    code: 'folder-contains-home',
    about: 'a folder contains the home with the private key',
    find: ({ warnings, home }) =>
      warnings
        .filter(({ code }) => code === 'folder-contains-home')
        .map(({ message, remedy }) => ({ severity: 'error', message, evidence: `the home is ${home.path}`, remedy })),
  },
  {
    code: 'proxy-not-trusted',
    about: 'a proxy before the page is not trusted',
    find: ({ warnings }) =>
      warnings
        .filter(({ code }) => code !== 'gui-open' && code !== 'folder-contains-home')
        .map(({ message, remedy, code }) => ({ severity: 'warning', message, evidence: code, remedy })),
  },
  {
    code: 'page-without-tls',
    about: 'the page is served to other hosts without encryption',
    find: ({ plainPage }) =>
      plainPage === undefined
        ? []
        : [
            {
              severity: 'warning',
              message: 'passwords and contents of the page cross the network unencrypted',
              evidence: `the page listens on ${plainPage} without TLS`,
              remedy: 'switch TLS on, or listen on 127.0.0.1 and use a proxy with TLS',
              command: 'twinfold cli config gui use-tls set true',
            },
          ],
  },
  {
    code: 'running-as-root',
    about: 'the daemon runs as root',
    find: ({ isRoot }) =>
      isRoot
        ? [
            {
              severity: 'warning',
              message:
                'the daemon runs as root: a fault, or anybody with the API key, can change every file of this machine',
              evidence: 'its user ID is 0',
              remedy: 'run it as an ordinary user who has access to the folders only',
              command: 'twinfold service install --help',
            },
          ]
        : [],
  },
  {
    code: 'few-open-files',
    about: 'the limit of open files is low',
    find: ({ openFiles: { used, max } }) => {
      const isNear = used !== undefined && max !== undefined && used > max * OPEN_FILES_SHARE
      if (max === undefined || (max >= OPEN_FILES_MIN && !isNear)) return []
      return [
        {
          severity: isNear ? 'error' : 'warning',
          message: 'the system allows the daemon few open files',
          evidence: `${used ?? 'some'} of ${max} are open`,
          remedy: `allow at least ${OPEN_FILES_MIN}: LimitNOFILE= in the unit of systemd, or the limit of the shell`,
          command: `ulimit -n ${4 * OPEN_FILES_MIN}`,
        },
      ]
    },
  },
  {
    code: 'watches-nearly-used',
    about: 'nearly all watches for changes are in use',
    find: ({ watches }) =>
      watches === undefined || watches.used < watches.allowed * WATCHES_SHARE
        ? []
        : [
            {
              severity: 'warning',
              message: 'more directories cannot be watched: changes in them will only be found by full scans',
              evidence: `${watches.used} of ${watches.allowed} watches of this user are used by this device`,
              remedy: 'raise the limit of watches',
              command: raiseWatches(watches.allowed),
            },
          ],
  },
  {
    code: 'unhandled-failures',
    about: 'failures that nothing handled',
    find: ({ unhandledFailures: count }) =>
      count === 0
        ? []
        : [
            {
              severity: 'warning',
              message: 'the program had failures that it did not expect',
              evidence: `${countText(count, 'failure')} since the start; the log has them`,
              remedy: 'restart the daemon, and report them with the support file',
              command: 'twinfold support --output twinfold-support.zip',
            },
          ],
  },
  {
    code: 'certificate-expires',
    about: 'a certificate has expired, or will soon',
    find: ({ certificates, nowMs }) =>
      certificates
        .filter(({ notAfterMs }) => notAfterMs - nowMs < CERTIFICATE_DAYS * DAY_MS)
        .map(({ what, file, notAfterMs }) => {
          const isOver = notAfterMs <= nowMs
          const when = isOver
            ? `expired ${spanText(nowMs - notAfterMs)} ago`
            : `expires in ${spanText(notAfterMs - nowMs)}`
          return what === 'page'
            ? {
                severity: isOver ? 'error' : 'warning',
                message: `the certificate of the page ${isOver ? 'has expired' : 'expires soon'}`,
                evidence: `${file} ${when}`,
                remedy: 'remove the file and restart: a new one is made, which browsers have to accept again',
                command: `rm ${shellName(file)} && twinfold cli operations restart`,
              }
            : {
                severity: 'notice',
                message: `the certificate of this device ${isOver ? 'has expired' : 'expires soon'}`,
                evidence: `${file} ${when}`,
                remedy: 'nothing: other devices compare its ID, not its dates; a new one would have another ID',
              }
        }),
  },
  {
    code: 'key-expired',
    about: 'an API key or user has expired',
    find: ({ grants, nowMs }) =>
      grants
        .filter(({ expiresMs }) => expiresMs <= nowMs)
        .map(({ kind, name, expiresMs }) => ({
          severity: 'notice',
          message: `the ${kind} "${name}" has expired: programs that use it get 403`,
          evidence: `since ${spanText(nowMs - expiresMs)}`,
          remedy: 'remove it, or add it again',
          command: `twinfold ${kind === 'user' ? 'user remove' : 'key revoke'} ${shellName(name)}`,
        })),
  },
  {
    code: 'index-replaced',
    about: 'an index was damaged and replaced',
    find: ({ recoveries }) =>
      recoveries.map(({ folder, reason, keptAt }) => ({
        severity: 'error',
        message:
          folder === undefined
            ? 'the main database was damaged and replaced by an empty one'
            : `the index of folder "${folder}" was damaged and replaced by an empty one, which a scan fills again`,
        evidence: `${reason}; the damaged file is ${keptAt}`,
        remedy: 'check the disk and the memory of this machine: databases are not damaged by crashes',
        command: 'sudo smartctl --health --all /dev/DISK',
        ...(folder !== undefined && { folder }),
      })),
  },
  {
    code: 'upgrade-available',
    about: 'a newer release',
    find: ({ release }) =>
      release === undefined
        ? []
        : [
            {
              severity: 'notice',
              message: `version ${release.version} is available`,
              evidence: 'found by the last check for releases',
              remedy: 'upgrade when it suits you',
              command: release.command ?? 'twinfold upgrade',
            },
          ],
  },
]

const SYSCTL_FILE = '/etc/sysctl.d/60-twinfold.conf'

function raiseWatches(allowed: number): string {
  const wanted = Math.max(2 * allowed, 524_288)
  return `echo fs.inotify.max_user_watches=${wanted} | sudo tee ${SYSCTL_FILE} && sudo sysctl -p ${SYSCTL_FILE}`
}
