! Every collective from Fortran; MODULE: mpi or mpi_f08, else mpif.h.
program every
#ifdef MODULE
  use MODULE
  implicit none
#else
  implicit none
  include 'mpif.h'
#endif
  integer :: rank, n, ierr, root, i, total
  integer, allocatable :: a(:), b(:), counts(:)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  allocate(a(8 * n), b(8 * n), counts(n))
  counts = 4
  total = 0
  call fresh()
  do root = 0, n - 1
    call MPI_Bcast(a, 8, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
    total = mod(total + sum(a), 65521)
    call MPI_Scatter(a, 4, MPI_INTEGER, b, 4, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
    total = mod(total + sum(b), 65521)
    call MPI_Gather(b, 4, MPI_INTEGER, a, 4, MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
    if (rank == root) total = mod(total + sum(a), 65521)
    call MPI_Reduce(b, a, 4, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD, ierr)
    if (rank == root) total = mod(total + sum(a), 65521)
    if (rank == root) then
      call MPI_Reduce(MPI_IN_PLACE, b, 4, MPI_INTEGER, MPI_MAX, root, MPI_COMM_WORLD, ierr)
    else
      call MPI_Reduce(b, a, 4, MPI_INTEGER, MPI_MAX, root, MPI_COMM_WORLD, ierr)
    end if
  end do
  call fresh()
  call MPI_Allgather(a, 4, MPI_INTEGER, b, 4, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  total = mod(total + sum(b), 65521)
  call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, a, 4, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  total = mod(total + sum(a), 65521)
  call MPI_Alltoall(a, 4, MPI_INTEGER, b, 4, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  total = mod(total + sum(b), 65521)
  call MPI_Reduce_scatter_block(a, b, 4, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  total = mod(total + sum(mod(b, 1000)), 65521)
  call MPI_Reduce_scatter(a, b, counts, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  total = mod(total + sum(mod(b, 1000)), 65521)
  call MPI_Allreduce(a, b, 8, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  total = mod(total + sum(mod(b, 1000)), 65521)
  call MPI_Allreduce(MPI_IN_PLACE, b, 8, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierr)
  total = mod(total + sum(mod(b, 1000)), 65521)
  call MPI_Scan(a, b, 8, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  total = mod(total + sum(mod(b, 1000)), 65521)
  if (ierr /= MPI_SUCCESS) total = -1
  print '(i0,a,i0)', rank, ': ', total
  call MPI_Finalize(ierr)
contains
  subroutine fresh()
    do i = 1, 8 * n
      a(i) = mod((rank + 1) * (i + 7) * 31, 997)
      b(i) = i
    end do
  end subroutine
end program
