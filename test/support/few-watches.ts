import { spawnSync } from 'node:child_process'

const SCRIPT = 'echo "$1" > "/proc/sys/user/$0" && shift && exec "$@"'

/** Arguments before a command that limit the inotify watches or instances of its process only. */
export function fewWatches(setting: 'max_inotify_watches' | 'max_inotify_instances', count: number): readonly string[] {
  return ['unshare', '--user', '--map-root-user', 'sh', '-c', SCRIPT, setting, String(count)]
}

/** Why this machine cannot limit a process of its own like that; false where it can. */
export function cannotLimitWatches(): string | false {
  const [program, ...args] = [...fewWatches('max_inotify_watches', 20), 'true']
  const tried = spawnSync(program!, args, { encoding: 'utf8' })
  if (tried.status === 0) return false
  return `NOT TESTED: inotify watches cannot be limited on this machine: ${tried.error?.message ?? tried.stderr.trim()}`
}
