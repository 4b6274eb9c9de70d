"""How often tests on cross-validated scores reject a null that is true, by learner."""
