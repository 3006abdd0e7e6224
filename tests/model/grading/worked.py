"""The two cases that the article works out, as the grader is given them."""

from app.model.grading.cases import Given

SMALL = Given(
    params=10e9,
    train_tokens=1e12,
    gpus=256,
    gpus_per_node=8,
    memory_gb=80,
    dense_peak_tflops=989.5,
    sparse_peak_tflops=1979,
    mfu=0.40,
    pipeline=16,
    microbatches=16,
    mtbf_gpu_hours=50_677,
    checkpoint_minutes=30,
    checkpoint_gb_per_s=5,
)
LARGE = Given(
    params=1e12,
    train_tokens=15e12,
    gpus=16_384,
    gpus_per_node=8,
    memory_gb=80,
    dense_peak_tflops=989.5,
    sparse_peak_tflops=1979,
    mfu=0.40,
    pipeline=16,
    microbatches=128,
    mtbf_gpu_hours=50_677,
    checkpoint_minutes=30,
    checkpoint_gb_per_s=273,
)
