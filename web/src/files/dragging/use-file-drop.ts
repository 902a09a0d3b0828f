import { useEffect, useRef, useState } from 'react';
import { OVERLAYS } from '../../components/overlays.ts';
import { errorMessage } from '../../components/states.tsx';
import { toast } from '../../components/toasts.tsx';
import { type ChosenFile, filesOfDrop } from '../adding/chosen-files.ts';
import { folderBelow, HoveredFolder, pathOf } from './hovered-folder.ts';

interface FileDropOptions {
  /** Undefined for people who may not upload. */
  take: ((files: readonly ChosenFile[], folder: string) => void) | undefined;
  /** Opens a folder over which the files rest. */
  onOpen(folder: string): void;
}

/**
 * Takes files of the desktop where a folder is shown: its tile, breadcrumb, tree item, or its open listing.
 * @returns the folder below the files
 */
export function useFileDrop(options: FileDropOptions): string | undefined {
  const [over, setOver] = useState<string>();
  const latest = useRef(options);
  latest.current = options;
  useEffect(() => {
    const hovered = new HoveredFolder((path) => latest.current.onOpen(path));
    const leave = () => {
      hovered.leave();
      setOver(undefined);
    };
    /** Folder that would take the files. Elsewhere the browser would leave the page and show them. */
    const folderOf = (event: DragEvent): HTMLElement | undefined => {
      event.preventDefault();
      const isCovered = document.querySelector(OVERLAYS) !== null;
      const element = event.target instanceof Element && !isCovered ? folderBelow(event.target) : undefined;
      const taking = latest.current.take ? element : undefined;
      if (event.dataTransfer) event.dataTransfer.dropEffect = taking ? 'copy' : 'none';
      return taking;
    };
    const onOver = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      const element = folderOf(event);
      hovered.over(element, true);
      setOver(element && pathOf(element));
    };
    const onDrop = (event: DragEvent) => {
      if (!event.dataTransfer?.types.includes('Files')) return;
      const element = folderOf(event);
      const { take } = latest.current;
      leave();
      if (!element || !take) return;
      // While a large folder is read, the element may become that of another folder.
      const folder = pathOf(element);
      filesOfDrop(event.dataTransfer).then(
        (files) => take(files, folder),
        (error) => toast(errorMessage(error)),
      );
    };
    const onLeave = ({ relatedTarget }: DragEvent) => relatedTarget === null && leave();
    document.addEventListener('dragenter', onOver);
    document.addEventListener('dragover', onOver);
    document.addEventListener('dragleave', onLeave);
    document.addEventListener('drop', onDrop);
    return () => {
      hovered.leave();
      document.removeEventListener('dragenter', onOver);
      document.removeEventListener('dragover', onOver);
      document.removeEventListener('dragleave', onLeave);
      document.removeEventListener('drop', onDrop);
    };
  }, []);
  return over;
}
