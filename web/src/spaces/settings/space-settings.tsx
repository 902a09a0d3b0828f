import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useSpace } from '../../api/access.ts';
import { LIBRARY, spaceLabel, spaceQuery } from '../../api/spaces.ts';
import { Icon } from '../../components/icon.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { ErrorNotice, Skeleton } from '../../components/states.tsx';
import { spaceSettingsMessages } from '../../messages/spaces.ts';
import { DeleteSection } from './delete-section.tsx';
import { DeliverySection } from './delivery-section.tsx';
import { GeneralSection } from './general-section.tsx';
import { LimitsSection } from './limits-section.tsx';
import { PrivateFoldersSection } from './private-folders-section.tsx';
import { SecretSection } from './secret-section.tsx';
import { UploadsSection } from './uploads-section.tsx';
import '../spaces.css';

/** `/space`: settings of the space of the page. */
export function OwnSpacePage() {
  const space = useSpace();
  return space && <SpaceSettings id={space.id} isInside />;
}

/** `/spaces/{id}`: settings of a space, or of the library, for admins of the installation. */
export function SpacePage() {
  const { spaceId = '' } = useParams({ strict: false }) as { spaceId?: string };
  return <SpaceSettings key={spaceId} id={spaceId} isInside={false} />;
}

function SpaceSettings({ id, isInside }: { id: string; isInside: boolean }) {
  const { data: space, error, refetch } = useQuery(spaceQuery(id));
  const isLibrary = id === LIBRARY;
  const name = spaceLabel(space ?? { id, name: id });
  return (
    <div className="page">
      <PageHeader
        title={isInside ? spaceSettingsMessages.title : spaceSettingsMessages.titleOf(name)}
        tab={spaceSettingsMessages.titleOf(name)}
        lead={isLibrary ? spaceSettingsMessages.leadLibrary : spaceSettingsMessages.lead}
        documentation="spaces"
        back={
          !isInside && (
            <Link className="space-back" to="/spaces">
              <Icon name="back" size={15} />
              {spaceSettingsMessages.back}
            </Link>
          )
        }
      />
      {error && <ErrorNotice error={error} onRetry={refetch} />}
      {!space && !error && <Skeleton height={420} />}
      {space && (
        <>
          {!isLibrary && <GeneralSection space={space} isInside={isInside} />}
          <DeliverySection space={space} />
          <PrivateFoldersSection space={space} />
          {!isLibrary && (
            <>
              <UploadsSection space={space} />
              <LimitsSection space={space} isInside={isInside} />
              <SecretSection space={space} />
            </>
          )}
          {!isLibrary && !isInside && <DeleteSection space={space} />}
        </>
      )}
    </div>
  );
}
