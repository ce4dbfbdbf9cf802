//! Replaces HiGHS if the feature `highs` is off: no basis is proposed, and exact pivots do all the work.

#![allow(clippy::disallowed_types, clippy::float_arithmetic)] // the interface of the model on HiGHS

use std::convert::Infallible;
use std::path::Path;
use std::time::Duration;

use oneport_watch::Watch;

use crate::Rational;
use crate::float::{Claim, Engine, FloatProgram};
use crate::kernel::Basis;
use crate::program::ExactError;

/// A floating-point model that cannot be made.
pub(crate) struct FloatModel(Infallible);

/// The interface of the model on HiGHS, see `highs.rs`.
impl FloatModel {
    pub(crate) fn new(_: &FloatProgram) -> Result<Option<Self>, ExactError> {
        Ok(None)
    }

    pub(crate) fn read(_: &Path) -> Result<Option<Self>, ExactError> {
        Ok(None)
    }

    pub(crate) fn objective(&self) -> Option<Rational> {
        match self.0 {}
    }

    pub(crate) fn set_engine(&mut self, _: Engine) -> Result<(), ExactError> {
        match self.0 {}
    }

    pub(crate) fn set_presolve(&mut self, _: bool) -> Result<(), ExactError> {
        match self.0 {}
    }

    pub(crate) fn set_time_limit(&mut self, _: Option<Duration>) -> Result<(), ExactError> {
        match self.0 {}
    }

    pub(crate) fn elapsed(&self) -> Duration {
        match self.0 {}
    }

    pub(crate) fn run(&mut self, _: &Watch) -> Result<Claim, ExactError> {
        match self.0 {}
    }

    pub(crate) fn basis(&self) -> Option<Basis> {
        match self.0 {}
    }

    pub(crate) fn set_basis(&mut self, _: &Basis, _: &[bool]) -> Result<(), ExactError> {
        match self.0 {}
    }

    pub(crate) fn change(
        &mut self,
        _: &[f64],
        _: &[f64],
        _: &[f64],
        _: &[f64],
    ) -> Result<(), ExactError> {
        match self.0 {}
    }

    pub(crate) fn add_columns(
        &mut self,
        _: &[f64],
        _: &[i32],
        _: &[i32],
        _: &[f64],
    ) -> Result<(), ExactError> {
        match self.0 {}
    }

    pub(crate) fn add_rows(
        &mut self,
        _: (&[f64], &[f64]),
        _: &[i32],
        _: &[i32],
        _: &[f64],
    ) -> Result<(), ExactError> {
        match self.0 {}
    }

    pub(crate) fn make_integer(&mut self, _: u32, _: u32) -> Result<(), ExactError> {
        match self.0 {}
    }

    pub(crate) fn column_values(&self) -> Option<Vec<f64>> {
        match self.0 {}
    }

    pub(crate) fn solution(&self) -> Option<(Vec<f64>, Vec<f64>)> {
        match self.0 {}
    }
}
