import type { FolderConfig } from '../../src/core/config/config.ts'
import { perLanguage } from '../i18n/per-language.ts'
import { visibleName } from '../base/visible-name.ts'

type Named = Pick<FolderConfig, 'id' | 'label'>

const collators = perLanguage((name) => new Intl.Collator(name, { numeric: true, sensitivity: 'base' }))

export function folderName({ id, label }: Named): string {
  return visibleName(label === '' ? id : label)
}

/** The order of lists of folders: by the name that is shown. */
export function byName(language: string): (one: Named, other: Named) => number {
  const { compare } = collators(language)
  return (one, other) => compare(folderName(one), folderName(other))
}
