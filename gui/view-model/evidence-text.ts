import type { RemediesJson } from '../../src/rest/remedies.ts'
import { formatCount, formatPercent, formatSize } from '../i18n/format.ts'
import { t } from '../i18n/texts.ts'

type RemedyJson = RemediesJson[number]

/** What is known about the cause of an error, with its numbers; undefined where nothing is. */
export function evidenceText({ cause, files, path, space, watches }: RemedyJson): string | undefined {
  const at = path ?? ''
  if (files !== null && (cause === 'marker' || cause === 'missing')) return filesText(files, at)
  if (space !== null && cause === 'lowSpace') return spaceText(space)
  if (space !== null && cause === 'full') return t('evidence.free', { free: formatSize(space.freeBytes) })
  if (watches !== null && watches.allowed !== null)
    return t('evidence.watches', { setting: watches.setting, allowed: formatCount(watches.allowed) })
  return undefined
}

function filesText({ hasRoot, examined, found }: NonNullable<RemedyJson['files']>, path: string): string {
  if (!hasRoot) return t('evidence.noRoot', { path })
  if (examined === 0) return t('evidence.noneKnown', { path })
  return found === 0
    ? t('evidence.noFiles', { n: examined, path })
    : t('evidence.files', { found: formatCount(found), n: examined, path })
}

function spaceText({ freeBytes, totalBytes, minimum }: NonNullable<RemedyJson['space']>): string {
  const free = Math.max(0, freeBytes)
  const percent = formatPercent(totalBytes === 0 ? 0 : free / totalBytes)
  const kept = `${minimum.value} ${minimum.unit}`.trim()
  return t('evidence.space', { free: formatSize(free), percent, kept })
}
