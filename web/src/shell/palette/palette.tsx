import { useState } from 'react';
import { Autocomplete } from 'react-aria-components/Autocomplete';
import { Dialog } from 'react-aria-components/Dialog';
import { Header } from 'react-aria-components/Header';
import { Input } from 'react-aria-components/Input';
import { Menu, MenuSection } from 'react-aria-components/Menu';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { SearchField } from 'react-aria-components/SearchField';
import { Icon } from '../../components/icon.tsx';
import { Item } from '../../components/menu-list.tsx';
import { paletteMessages } from '../../messages/palette.ts';
import { type PaletteItem, usePaletteItems } from './palette-items.ts';
import './palette.css';

/** Command palette. The field keeps the focus; arrow keys move through the results. */
export function Palette({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('');
  const { groups, isFetching } = usePaletteItems(text);
  const count = groups.reduce((sum, { items }) => sum + items.length, 0);
  const run = (item: PaletteItem) => {
    onClose();
    item.run();
  };
  return (
    <ModalOverlay className="shade is-finder" isOpen isDismissable onOpenChange={(isOpen) => isOpen || onClose()}>
      <Modal className="modal finder">
        <Dialog className="finder-dialog" aria-label={paletteMessages.title}>
          <Autocomplete inputValue={text} onInputChange={setText}>
            <SearchField className="finder-field" aria-label={paletteMessages.field} autoFocus>
              <Icon name="search" />
              <Input placeholder={paletteMessages.field} />
              <kbd>Esc</kbd>
            </SearchField>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled by keys */}
            <section className="finder-list" tabIndex={0} aria-label={paletteMessages.found}>
              <Menu className="finder-items" aria-label={paletteMessages.title} shouldFocusWrap>
                {groups.map(({ title, items }) => (
                  <MenuSection key={title}>
                    <Header className="menu-heading">{title}</Header>
                    {items.map((item) => (
                      <Item key={item.id} icon={item.icon} end={item.end || undefined} onAction={() => run(item)}>
                        {item.label}
                      </Item>
                    ))}
                  </MenuSection>
                ))}
              </Menu>
            </section>
          </Autocomplete>
          <p className={count === 0 && !isFetching ? 'finder-none quiet' : 'unseen'} role="status">
            {isFetching ? '' : count === 0 ? paletteMessages.nothing : paletteMessages.count(count)}
          </p>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
