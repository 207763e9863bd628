//! Verbs by which a person decides: about candidates, lessons, changes and projects.

pub(crate) mod accept;
pub(crate) mod add;
pub(crate) mod curate;
pub(crate) mod edit;
pub(crate) mod on_off;
pub(crate) mod promote;
pub(crate) mod reflect;
pub(crate) mod retire;
pub(crate) mod review;
pub(crate) mod trust;
pub(crate) mod undo;
