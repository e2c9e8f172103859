import { GUI_FIELDS, OPTION_FIELDS } from '../view-model/form-fields.ts'
import { folderName } from '../view-model/folder-name.ts'
import { lookUp } from '../base/look-up.ts'
import type { LiveState } from '../live/state.ts'
import { textOr } from '../pages/edit/text-or.ts'
import { t } from '../i18n/texts.ts'
import type { Command } from './command.ts'
import { goTo } from '../base/route.ts'

const SECTIONS = ['general', 'gui', 'connections', 'network', 'defaults', 'advanced'] as const

/** Every section of the settings, and every setting that has a place in one. */
export function settingCommands(): readonly Command[] {
  const sections = SECTIONS.map((section) => ({
    id: `settings ${section}`,
    text: `${t('nav.settings')}: ${t(`settings.${section}`)}`,
    kind: t('nav.settings'),
    icon: 'settings' as const,
    run: () => goTo('settings', section),
  }))
  const fields = [
    ...OPTION_FIELDS.map(({ name, group }) => ({ name, section: group, key: `form.options.${name}` })),
    ...GUI_FIELDS.map(({ name, group }) => ({ name, section: group, key: `form.gui.${name}` })),
  ].map(({ name, section, key }) => {
    const text = textOr(key, name)
    return {
      id: `setting ${section} ${name}`,
      text,
      search: `${text} ${name}`,
      kind: t('nav.settings'),
      icon: 'settings' as const,
      run: () => showSetting(section, text),
    }
  })
  return [...sections, ...fields]
}

/** The settings are loaded when they are opened; after this many frames the field is not there. */
const FRAMES_MAX = 300

/** Opens the section and focuses the field with this label. */
function showSetting(section: string, label: string): void {
  goTo('settings', section)
  const focus = (frames: number) => {
    const labels = [...document.querySelectorAll<HTMLLabelElement>('main label')]
    const found = labels.find((each) => each.textContent.startsWith(label))
    if (found !== undefined) found.control?.focus()
    else if (frames < FRAMES_MAX) requestAnimationFrame(() => focus(frames + 1))
  }
  // Not before the page that was shown has been replaced.
  requestAnimationFrame(() => requestAnimationFrame(() => focus(0)))
}

/** Where the conflict copies of each folder are listed that has some. */
export function conflictCommands(state: LiveState): readonly Command[] {
  const found = (state.config?.folders ?? []).filter(({ id }) => (lookUp(state.conflicts, id) ?? 0) > 0)
  return found.map((folder) => ({
    id: `conflicts ${folder.id}`,
    text: t('command.conflictsIn', { folder: folderName(folder), n: lookUp(state.conflicts, folder.id) ?? 0 }),
    kind: t('command.folder'),
    icon: 'warning' as const,
    run: () => goTo('folders', folder.id, 'problems'),
  }))
}
